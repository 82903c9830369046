#include <freetype/config/public-macros.h>
// The header exports what it declares; what is defined here is for kitbag alone.
#undef FT_PUBLIC_FUNCTION_ATTRIBUTE
#define FT_PUBLIC_FUNCTION_ATTRIBUTE __attribute__((visibility("hidden")))
#include <ft2build.h>
// These macros are for use after it alone.
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include FT_STROKER_H

#include "lazy/lazy.h"

#define KITBAG_LAZY_FILE KITBAG_LAZY_FREETYPE
KITBAG_LAZY_1(FT_Done_Face)
KITBAG_LAZY_1(FT_Done_FreeType)
KITBAG_LAZY_1(FT_Init_FreeType)
KITBAG_LAZY_3(FT_Load_Char)
KITBAG_LAZY_5(FT_New_Memory_Face)
KITBAG_LAZY_2(FT_Outline_Done)
KITBAG_LAZY_4(FT_Outline_New)
KITBAG_LAZY_3(FT_Outline_Render)
KITBAG_LAZY_3(FT_Outline_Translate)
KITBAG_LAZY_5(FT_Set_Char_Size)
KITBAG_LAZY_3(FT_Stroker_BeginSubPath)
KITBAG_LAZY_1(FT_Stroker_Done)
KITBAG_LAZY_1(FT_Stroker_EndSubPath)
KITBAG_LAZY_2(FT_Stroker_Export)
KITBAG_LAZY_3(FT_Stroker_GetCounts)
KITBAG_LAZY_2(FT_Stroker_LineTo)
KITBAG_LAZY_2(FT_Stroker_New)
KITBAG_LAZY_1(FT_Stroker_Rewind)
KITBAG_LAZY_5(FT_Stroker_Set)
#undef KITBAG_LAZY_FILE
