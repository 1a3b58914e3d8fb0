! From Fortran: which of these points are within 1 of each other, in a periodic box?
!
!     gfortran $(pkg-config --variable=includedir vicinal)/vicinal.f90 08_pairs.f90 \
!         $(pkg-config --libs vicinal) -o pairs
program pairs
    use, intrinsic :: iso_c_binding
    use vicinal
    implicit none
    ! Points 0 and 1 are near each other, 0 and 2 across a face of the box.
    real(c_double), target :: xyz(3, 4) = reshape([real(c_double) :: &
        0.1, 5, 5, 0.9, 5, 5, 9.8, 5, 5, 5, 5, 5], [3, 4])
    character(kind=c_char), target :: columns(6) = ['i', 'j', 'S', 'd', 'D', c_null_char]
    type(vicinal_domain), target :: box
    type(vicinal_options) :: options
    type(vicinal_bodies), target :: atoms
    type(vicinal_form), target :: form
    type(vicinal_result), pointer :: found
    type(c_ptr) :: finder, result
    integer(c_int32_t), pointer :: ij(:, :)
    integer(c_int16_t), pointer :: images(:, :)
    real(c_double), pointer :: d(:)
    integer(c_int64_t) :: k

    box%size = c_sizeof(box)
    box%kind = vicinal_orthogonal
    box%lengths = 10
    options%size = c_sizeof(options)
    options%dimension = 3
    options%scalar = vicinal_double
    options%domain = c_loc(box)
    call check(vicinal_new(options, finder))

    atoms%size = c_sizeof(atoms)
    atoms%dimension = 3
    atoms%scalar = vicinal_double
    atoms%shape = vicinal_points
    atoms%count = size(xyz, 2)
    atoms%cutoff = 1
    atoms%position%data = c_loc(xyz)
    form%size = c_sizeof(form)
    form%columns = c_loc(columns)
    form%order = vicinal_sorted
    form%index = vicinal_int32
    call check(vicinal_pairs(finder, c_loc(atoms), c_loc(form), result))

    call c_f_pointer(result, found)
    call c_f_pointer(found%indices, ij, [2_c_int64_t, found%count])
    call c_f_pointer(found%images, images, [3_c_int64_t, found%count])
    call c_f_pointer(found%distances, d, [found%count])
    do k = 1, found%count
        print '(i0, " and ", i0, " in image", 3i3, ": distance ", f0.3)', ij(:, k), images(:, k), d(k)
    end do
    if (any(shape(ij) /= [2, 2])) error stop "there must be two pairs"
    if (any(ij /= reshape([0, 1, 0, 2], [2, 2])) .or. images(1, 2) /= -1) &
        error stop "not the right pairs"
    call vicinal_release(result)

    atoms%cutoff = -1
    if (vicinal_update(finder, c_loc(atoms), c_null_ptr) /= vicinal_input) error stop "no error"
    print '(a)', vicinal_message()
    call vicinal_free(finder)

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status /= vicinal_ok) then
            print '(a)', vicinal_message()
            error stop
        end if
    end subroutine
end program
