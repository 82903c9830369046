# What a test may take: a minute, and ten times what it needs on two idle cores, as ./dev test runs
# it. The limit ends what hangs; a slow machine is no defect. Here are those that need more than 12
# seconds somewhere: in release builds, under AddressSanitizer, and under ThreadSanitizer.

set(kitbag_shortest 12)
set(kitbag_needs
  "bombs_bombs 25"
  "cli_batch 25"
  "cli_bomb 15"
  "cli_catalog 25"
  "cli_catalog_contents 20"
  "cli_catalog_moments 35"
  "cli_catalog_sql 30"
  "cli_coming_from 75"
  "cli_encode_video 15"
  "cli_encryption 13"
  "cli_export_video 15"
  "cli_live 37"
  "cli_stop 64"
  "cli_terminal 45"
  "cli_topics 15"
  "cli_upload 40"
  "columns_test 5 20 45"
  "faults_failing_calls 90"
  "faults_failing_writes 41"
  "faults_joined_recorders 40"
  "faults_killed_recorder 19"
  "faults_killed_writers 28"
  "fleet_fleet 110"
  "foundation_test 25 40 75"
  "interop_columns 15"
  "interop_decode 18"
  "interop_encryption 17"
  "interop_foxglove 16"
  "interop_http_files 20 45"
  "interop_iceoryx 40"
  "interop_mqtt 23"
  "interop_nats 20"
  "interop_object_batch 30"
  "interop_object_copies 60"
  "interop_object_store 40"
  "interop_object_writing 100"
  "interop_old_versions 16"
  "interop_parquet 36"
  "interop_remote_cache 30"
  "interop_ros1_live 75 130"
  "interop_ros2_control 25 60"
  "interop_ros2_live 85 140"
  "interop_ros2_services 15 30"
  "interop_servers 25"
  "interop_upload 60"
  "interop_ways_to_write 17"
  "interop_slurm 90"
  "live_test 20 35 45"
  "packages_debs 30"
  "packages_tarball 20"
  "python_interrupts 12 25"
  "python_rosbag_scripts 25 40"
  "python_tables 12 20"
  "python_types 20"
  "rosbag_test 20 62 60"
  "server_catalog 25"
  "server_live 21"
  "server_recorder 19"
  "server_remote 15"
  "soak_recording 14"
  "storages_test 15 35 20"
  "tests_roundtrip 14 16 60"
  "tests_suites 120 132"
  "tidy_clang_tidy 200"
  "web_access 60"
  "web_camera 15"
  "web_catalog 20"
  "web_code 12"
  "web_debug 15"
  "web_image 25"
  "web_layout 45"
  "web_list 30"
  "web_live 35"
  "web_log_real_bags 25"
  "web_local 40"
  "web_page 50"
  "web_plot 25"
  "web_plot_real_bags 25"
  "web_readings 35"
  "web_real_bags 70"
  "web_rebuild 30"
  "web_scene 60"
  "web_screen 20"
  "web_server_video 25"
  "web_several 45"
  "web_timeline 40"
  "web_units 40"
  "work_test 8 10 25")

# A core runs one test at a time, two of those that use less than half of it, or four of those that
# use less than a quarter: they wait for clocks, timeouts and other programs. So ctest counts
# quarters of cores. Under AddressSanitizer a quarter becomes a half.
set(kitbag_quarter cli_coming_from cli_foxglove cli_interrupt cli_live cli_recording_details
                   cli_stop cli_streams cli_topics cli_upload interop_iceoryx interop_mqtt
                   interop_nats interop_ros1_live interop_ros2_control interop_ros2_live
                   interop_ros2_services interop_slurm interop_upload server_live server_players
                   server_recorder soak_recording)
set(kitbag_half cli_batch cli_terminal faults_failing_calls faults_failing_writes
                faults_joined_recorders fleet_fleet interop_foxglove interop_object_batch
                interop_object_copies interop_object_store interop_object_writing server_catalog
                server_list)

function(kitbag_limit test)
  string(REGEX REPLACE "_[0-9]+$" "" name ${test})  # a shard
  set(quarters 4)
  if(name IN_LIST kitbag_quarter)
    set(quarters 1)
  elseif(name IN_LIST kitbag_half OR name MATCHES "^web_")  # which waits for a browser
    set(quarters 2)
  endif()
  set(column 1)
  if(KITBAG_SANITIZE)
    set(column 2)
    if(quarters EQUAL 1)
      set(quarters 2)
    endif()
  endif()
  if(KITBAG_SANITIZE MATCHES thread)
    set(column 3)
  endif()
  set(needed ${kitbag_shortest})
  foreach(line IN LISTS kitbag_needs)
    string(REPLACE " " ";" line ${line})
    list(GET line 0 of)
    list(LENGTH line columns)
    if(of STREQUAL name AND column LESS columns)
      list(GET line ${column} needed)
    endif()
  endforeach()
  if(needed LESS kitbag_shortest)
    set(needed ${kitbag_shortest})
  endif()
  math(EXPR limit "60 + 10 * ${needed}")
  # The longest begin first, so that none of them is left alone at the end.
  set_tests_properties(${test} PROPERTIES TIMEOUT ${limit} COST ${needed}
                                          PROCESSORS ${quarters})
endfunction()
