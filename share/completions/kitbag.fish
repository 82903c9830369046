# Completion of kitbag's command line for fish. The program knows which words there can be: see
# `kitbag --complete` in docs/completion.md.

function __kitbag_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
    test "$found[1]" = files; and __fish_complete_path $current
    for line in $found[2..-1]
        echo $line
    end
end

complete -c kitbag -f -a '(__kitbag_complete)'
