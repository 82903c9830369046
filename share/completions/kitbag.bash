# Completion of kitbag's command line for bash. The program knows which words there can be: see
# `kitbag --complete` in docs/completion.md.

_kitbag() {
  local words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} kind word text
  # bash divides words at ":" and "=" too; bash-completion puts them together again.
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n := cur words cword
  fi
  COMPREPLY=()
  while IFS=$'\t' read -r word text; do
    if [[ -z $kind ]]; then
      kind=$word
    else
      COMPREPLY+=("$word")
    fi
  done < <("${words[0]}" --complete "${words[@]:1:cword-1}" "$cur" 2>/dev/null)
  if [[ $kind == files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
    return
  fi
  # A field with fields inside, or a new name for a topic: more follows.
  [[ ${COMPREPLY[0]-} != *[.=/] ]] || compopt -o nospace 2>/dev/null
  # Only what is behind the last mark is replaced.
  local mark before=${cur%"${cur##*[:=]}"}
  if [[ -n $before && $COMP_WORDBREAKS == *[:=]* ]]; then
    for mark in "${!COMPREPLY[@]}"; do COMPREPLY[mark]=${COMPREPLY[mark]#"$before"}; done
  fi
} && complete -F _kitbag kitbag
