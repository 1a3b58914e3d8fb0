! The C interface (vicinal.h) for Fortran: compile this file with your compiler, and `use vicinal`.
! The names are those of vicinal.h, which explains them. Indices of bodies count from 0.
!
!     gfortran vicinal.f90 program.f90 $(pkg-config --libs vicinal)
module vicinal
    use, intrinsic :: iso_c_binding
    implicit none
    public

    ! Status codes
    enum, bind(c)
        enumerator :: vicinal_ok = 0, vicinal_input, vicinal_option, vicinal_limit, &
            vicinal_memory, vicinal_cancelled, vicinal_busy, vicinal_internal
    end enum
    enum, bind(c)
        enumerator :: vicinal_float = 1, vicinal_double
    end enum
    enum, bind(c)
        enumerator :: vicinal_points = 0, vicinal_spheres, vicinal_boxes
    end enum
    enum, bind(c)
        enumerator :: vicinal_sum = 0, vicinal_max, vicinal_min
    end enum
    enum, bind(c)
        enumerator :: vicinal_open = 0, vicinal_orthogonal, vicinal_sheared, vicinal_triclinic
    end enum
    enum, bind(c)
        enumerator :: vicinal_any = 0, vicinal_sorted
    end enum
    enum, bind(c)
        enumerator :: vicinal_default_kind = 0, vicinal_half, vicinal_full
    end enum
    enum, bind(c)
        enumerator :: vicinal_n_by_2 = 0, vicinal_two_by_n
    end enum
    enum, bind(c)
        enumerator :: vicinal_uint32 = 0, vicinal_int32, vicinal_int64
    end enum
    enum, bind(c)
        enumerator :: vicinal_body = 0, vicinal_spatial
    end enum

    ! Every struct begins with its own size, set by c_sizeof(...). What is not set is 0 here.
    type, bind(c) :: vicinal_column
        type(c_ptr) :: data = c_null_ptr
        integer(c_intptr_t) :: stride = 0
    end type

    type, bind(c) :: vicinal_vectors
        type(c_ptr) :: data = c_null_ptr
        integer(c_intptr_t) :: stride = 0
        integer(c_intptr_t) :: axis_stride = 0
    end type

    type, bind(c) :: vicinal_bodies
        integer(c_size_t) :: size = 0
        integer(c_int32_t) :: dimension = 0
        integer(c_int32_t) :: scalar = 0
        integer(c_int32_t) :: shape = 0
        integer(c_int32_t) :: rule = 0
        integer(c_int64_t) :: count = 0
        real(c_double) :: cutoff = 0
        real(c_double) :: equal_radius = 0
        type(vicinal_column) :: radius
        type(vicinal_vectors) :: position
        type(vicinal_vectors) :: upper
        type(vicinal_vectors) :: displacement
        type(vicinal_column) :: group
        type(vicinal_column) :: mask
        type(vicinal_column) :: id
        type(vicinal_column) :: kind
        type(c_ptr) :: cutoffs = c_null_ptr
        integer(c_int64_t) :: kinds = 0
        type(c_ptr) :: excluded = c_null_ptr
        integer(c_int64_t) :: excluded_count = 0
        type(c_ptr) :: vertices = c_null_ptr
        integer(c_int64_t) :: vertices_per_body = 0
    end type

    ! vectors(:, k) is lattice vector k.
    type, bind(c) :: vicinal_domain
        integer(c_size_t) :: size = 0
        integer(c_int32_t) :: kind = 0
        integer(c_int32_t) :: open_axes(3) = 0
        real(c_double) :: lengths(3) = 0
        real(c_double) :: vectors(3, 3) = 0
        real(c_double) :: offset = 0
        real(c_double) :: change = 0
    end type

    type, bind(c) :: vicinal_options
        integer(c_size_t) :: size = 0
        integer(c_int32_t) :: dimension = 0
        integer(c_int32_t) :: scalar = 0
        type(c_ptr) :: domain = c_null_ptr
        type(c_ptr) :: method = c_null_ptr
        integer(c_int32_t) :: threads = 0
        integer(c_int32_t) :: interruptible = 0
        integer(c_int64_t) :: max_pairs = 0
        integer(c_int64_t) :: max_bytes = 0
        type(c_funptr) :: allocate = c_null_funptr
        type(c_funptr) :: release = c_null_funptr
        type(c_ptr) :: allocator_context = c_null_ptr
        type(c_funptr) :: cancelled = c_null_funptr
        type(c_ptr) :: cancelled_context = c_null_ptr
    end type

    type, bind(c) :: vicinal_form
        integer(c_size_t) :: size = 0
        type(c_ptr) :: columns = c_null_ptr
        integer(c_int32_t) :: order = 0
        integer(c_int32_t) :: kind = 0
        integer(c_int32_t) :: layout = 0
        integer(c_int32_t) :: index = 0
        integer(c_int32_t) :: row_order = 0
    end type

    ! Pointers become arrays by c_f_pointer(result%indices, array, [2_c_int64_t, result%count]).
    type, bind(c) :: vicinal_result
        integer(c_size_t) :: size = 0
        integer(c_int64_t) :: count = 0
        integer(c_int64_t) :: rows = 0
        type(c_ptr) :: indices = c_null_ptr
        type(c_ptr) :: images = c_null_ptr
        type(c_ptr) :: vectors = c_null_ptr
        type(c_ptr) :: distances = c_null_ptr
        type(c_ptr) :: offsets = c_null_ptr
        type(c_ptr) :: bodies = c_null_ptr
        integer(c_int32_t) :: dimension = 0
        integer(c_int32_t) :: scalar = 0
        integer(c_int32_t) :: index = 0
        integer(c_int32_t) :: layout = 0
    end type

    ! What a consumer of vicinal_stream receives.
    type, bind(c) :: vicinal_block
        integer(c_size_t) :: size = 0
        integer(c_int64_t) :: count = 0
        type(c_ptr) :: pairs = c_null_ptr
        type(c_ptr) :: images = c_null_ptr
        type(c_ptr) :: vectors = c_null_ptr
        type(c_ptr) :: distances = c_null_ptr
        integer(c_int32_t) :: worker = 0
    end type

    type, bind(c) :: vicinal_keys
        integer(c_int64_t) :: count = 0
        type(c_ptr) :: pairs = c_null_ptr
        type(c_ptr) :: images = c_null_ptr
    end type

    type, bind(c) :: vicinal_change_list
        integer(c_size_t) :: size = 0
        type(vicinal_keys) :: began
        type(vicinal_keys) :: ended
        type(vicinal_keys) :: renamed_from
        type(vicinal_keys) :: renamed_to
    end type

    ! A finder is a type(c_ptr). A result is a type(c_ptr) to a vicinal_result. Optional structs
    ! are of type(c_ptr): c_null_ptr, or c_loc of a variable with the attribute target.
    interface
        integer(c_int) function vicinal_new(options, finder) bind(c)
            import :: c_int, c_ptr, vicinal_options
            type(vicinal_options), intent(in) :: options
            type(c_ptr), intent(out) :: finder
        end function

        subroutine vicinal_free(finder) bind(c)
            import :: c_ptr
            type(c_ptr), value :: finder
        end subroutine

        integer(c_int) function vicinal_update(finder, bodies, domain) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: finder, bodies, domain
        end function

        integer(c_int) function vicinal_pairs(finder, bodies, form, result) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: finder, bodies, form
            type(c_ptr), intent(out) :: result
        end function

        integer(c_int) function vicinal_neighbours(finder, bodies, form, result) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: finder, bodies, form
            type(c_ptr), intent(out) :: result
        end function

        integer(c_int) function vicinal_count(finder, bodies, count) bind(c)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: finder, bodies
            integer(c_int64_t), intent(out) :: count
        end function

        integer(c_int) function vicinal_stream(finder, bodies, form, consumer, context) bind(c)
            import :: c_int, c_funptr, c_ptr
            type(c_ptr), value :: finder, bodies, form, context
            type(c_funptr), value :: consumer
        end function

        integer(c_int) function vicinal_pairs_with(finder, others, form, result) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: finder, others, form
            type(c_ptr), intent(out) :: result
        end function

        integer(c_int) function vicinal_rows_with(finder, others, form, result) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: finder, others, form
            type(c_ptr), intent(out) :: result
        end function

        integer(c_int) function vicinal_probe(finder, queries, form, result) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: finder, queries, form
            type(c_ptr), intent(out) :: result
        end function

        integer(c_int) function vicinal_probe_rows(finder, queries, form, result) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: finder, queries, form
            type(c_ptr), intent(out) :: result
        end function

        integer(c_int) function vicinal_nearest(finder, queries, k, max_distance, form, result) &
                bind(c)
            import :: c_double, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: finder, queries, form
            integer(c_int64_t), value :: k
            real(c_double), value :: max_distance
            type(c_ptr), intent(out) :: result
        end function

        integer(c_int) function vicinal_changes(finder, changes) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: finder
            type(c_ptr), intent(out) :: changes
        end function

        integer(c_int) function vicinal_order(finder, order, count) bind(c)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), value :: finder
            integer(c_int32_t), intent(out) :: order(*)
            integer(c_int64_t), value :: count
        end function

        integer(c_int) function vicinal_report(finder, json) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: finder
            type(c_ptr), intent(out) :: json
        end function

        integer(c_int) function vicinal_batch(options, bodies, offsets, systems, domains, &
                domain_count, form, result) bind(c)
            import :: c_int, c_int64_t, c_ptr, vicinal_bodies, vicinal_domain, vicinal_options
            type(vicinal_options), intent(in) :: options
            type(vicinal_bodies), intent(in) :: bodies
            integer(c_int64_t), intent(in) :: offsets(*)
            integer(c_int64_t), value :: systems, domain_count
            type(vicinal_domain), intent(in) :: domains(*)
            type(c_ptr), value :: form
            type(c_ptr), intent(out) :: result
        end function

        integer(c_int) function vicinal_methods(json) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), intent(out) :: json
        end function

        subroutine vicinal_release(result) bind(c)
            import :: c_ptr
            type(c_ptr), value :: result
        end subroutine

        subroutine vicinal_release_changes(changes) bind(c)
            import :: c_ptr
            type(c_ptr), value :: changes
        end subroutine

        subroutine vicinal_trim() bind(c)
        end subroutine

        integer(c_int64_t) function vicinal_element() bind(c)
            import :: c_int64_t
        end function

        type(c_ptr) function vicinal_message_pointer() bind(c, name="vicinal_message")
            import :: c_ptr
        end function

        type(c_ptr) function vicinal_version_pointer() bind(c, name="vicinal_version")
            import :: c_ptr
        end function
    end interface

contains

    ! A text of the library as a Fortran string.
    function vicinal_text(pointer) result(text)
        type(c_ptr), intent(in) :: pointer
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: characters(:)
        integer :: k
        interface
            integer(c_size_t) function strlen(text) bind(c)
                import :: c_ptr, c_size_t
                type(c_ptr), value :: text
            end function
        end interface
        call c_f_pointer(pointer, characters, [strlen(pointer)])
        allocate (character(len=size(characters)) :: text)
        do k = 1, size(characters)
            text(k:k) = characters(k)
        end do
    end function

    ! The last error of this thread.
    function vicinal_message() result(text)
        character(len=:), allocatable :: text
        text = vicinal_text(vicinal_message_pointer())
    end function

    function vicinal_version() result(text)
        character(len=:), allocatable :: text
        text = vicinal_text(vicinal_version_pointer())
    end function
end module
