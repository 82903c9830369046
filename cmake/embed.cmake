# Writes OUTPUT: a C++ source that holds the files of FOLDER as they are, for
# src/server/page/embedded.h. The assembler reads them, which takes no time however large they are.

file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(data "")
set(declared "")
set(table "")
set(number 0)
foreach(file IN LISTS files)
  set(name kitbag_page_${number})
  string(APPEND data "asm(\".pushsection .rodata\\n\"\n"
    "    \"${name}_begin: .incbin \\\"${FOLDER}/${file}\\\"\\n\"\n"
    "    \"${name}_end: .byte 0\\n.popsection\");\n")
  string(APPEND declared "extern const char ${name}_begin[] asm(\"${name}_begin\");\n"
                         "extern const char ${name}_end[] asm(\"${name}_end\");\n")
  string(APPEND table "    {\"${file}\", ${name}_begin, ${name}_end},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"server/page/embedded.h\"

${data}
${declared}
namespace kitbag::server {

std::span<const EmbeddedFile> embedded_files() {
  static const EmbeddedFile files[] = {
${table}  };
  return files;
}

}  // namespace kitbag::server
")
