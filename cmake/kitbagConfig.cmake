include("${CMAKE_CURRENT_LIST_DIR}/kitbagTargets.cmake")
