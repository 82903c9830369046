#include <cstdio>
// libjpeg's header needs <cstdio> before it.
#include <jpeglib.h>
#include <png.h>

#include "lazy/lazy.h"

#define KITBAG_LAZY_FILE KITBAG_LAZY_PNG
KITBAG_LAZY_1(png_create_info_struct)
KITBAG_LAZY_4(png_create_read_struct)
KITBAG_LAZY_4(png_create_write_struct)
KITBAG_LAZY_3(png_destroy_read_struct)
KITBAG_LAZY_2(png_destroy_write_struct)
KITBAG_LAZY_2(png_get_bit_depth)
KITBAG_LAZY_2(png_get_channels)
KITBAG_LAZY_2(png_get_color_type)
KITBAG_LAZY_1(png_get_error_ptr)
KITBAG_LAZY_2(png_get_image_height)
KITBAG_LAZY_2(png_get_image_width)
KITBAG_LAZY_1(png_get_io_ptr)
KITBAG_LAZY_2(png_get_rowbytes)
KITBAG_LAZY_7(png_image_write_to_memory)
KITBAG_LAZY_2(png_read_info)
KITBAG_LAZY_3(png_read_row)
KITBAG_LAZY_2(png_read_update_info)
KITBAG_LAZY_9(png_set_IHDR)
KITBAG_LAZY_2(png_set_chunk_cache_max)
KITBAG_LAZY_2(png_set_chunk_malloc_max)
KITBAG_LAZY_2(png_set_compression_level)
KITBAG_LAZY_1(png_set_expand_gray_1_2_4_to_8)
KITBAG_LAZY_3(png_set_filter)
KITBAG_LAZY_1(png_set_interlace_handling)
KITBAG_LAZY_1(png_set_palette_to_rgb)
KITBAG_LAZY_3(png_set_read_fn)
KITBAG_LAZY_1(png_set_scale_16)
KITBAG_LAZY_1(png_set_strip_alpha)
KITBAG_LAZY_3(png_set_user_limits)
KITBAG_LAZY_4(png_set_write_fn)
KITBAG_LAZY_2(png_write_end)
KITBAG_LAZY_2(png_write_info)
KITBAG_LAZY_2(png_write_row)
#undef KITBAG_LAZY_FILE

#define KITBAG_LAZY_FILE KITBAG_LAZY_JPEG
KITBAG_LAZY_3(jpeg_CreateCompress)
KITBAG_LAZY_3(jpeg_CreateDecompress)
KITBAG_LAZY_1(jpeg_calc_output_dimensions)
KITBAG_LAZY_1(jpeg_destroy_compress)
KITBAG_LAZY_1(jpeg_destroy_decompress)
KITBAG_LAZY_1(jpeg_finish_compress)
KITBAG_LAZY_3(jpeg_mem_dest)
KITBAG_LAZY_3(jpeg_mem_src)
KITBAG_LAZY_2(jpeg_read_header)
KITBAG_LAZY_3(jpeg_read_scanlines)
KITBAG_LAZY_1(jpeg_set_defaults)
KITBAG_LAZY_3(jpeg_set_quality)
KITBAG_LAZY_2(jpeg_start_compress)
KITBAG_LAZY_1(jpeg_start_decompress)
KITBAG_LAZY_1(jpeg_std_error)
KITBAG_LAZY_3(jpeg_write_scanlines)
#undef KITBAG_LAZY_FILE
