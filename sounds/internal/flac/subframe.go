package flac

import (
	"errors"
	"fmt"

	"voicepool/sounds/internal/source"
)

// readSubframe decodes one channel's samples of at most 33 bits.
func readSubframe(r *source.MSB, dst []int64, bits uint) error {
	if r.Take(1) != 0 {
		return errors.New("a subframe without its zero bit")
	}
	kind := int(r.Take(6))
	wasted := uint(0)
	if r.Take(1) == 1 {
		n := r.Unary() + 1
		if n >= uint64(bits) {
			return errors.New("more wasted bits than bits")
		}
		wasted = uint(n)
		bits -= wasted
	}
	var err error
	switch {
	case kind == 0:
		x := r.Signed(bits)
		for i := range dst {
			dst[i] = x
		}
	case kind == 1:
		for i := range dst {
			dst[i] = r.Signed(bits)
		}
	case kind >= 8 && kind <= 12:
		err = readFixed(r, dst, bits, kind-8)
	case kind >= 32:
		err = readLPC(r, dst, bits, kind-31)
	default:
		err = fmt.Errorf("a subframe of the reserved kind %d", kind)
	}
	if wasted > 0 {
		for i := range dst {
			dst[i] <<= wasted
		}
	}
	return err
}

func readFixed(r *source.MSB, x []int64, bits uint, order int) error {
	if err := readWarmUp(r, x, bits, order); err != nil {
		return err
	}
	if err := readResidual(r, x, order); err != nil {
		return err
	}
	switch order {
	case 1:
		for i := 1; i < len(x); i++ {
			x[i] += x[i-1]
		}
	case 2:
		for i := 2; i < len(x); i++ {
			x[i] += 2*x[i-1] - x[i-2]
		}
	case 3:
		for i := 3; i < len(x); i++ {
			x[i] += 3*(x[i-1]-x[i-2]) + x[i-3]
		}
	case 4:
		for i := 4; i < len(x); i++ {
			x[i] += 4*(x[i-1]+x[i-3]) - 6*x[i-2] - x[i-4]
		}
	}
	return nil
}

func readLPC(r *source.MSB, x []int64, bits uint, order int) error {
	if err := readWarmUp(r, x, bits, order); err != nil {
		return err
	}
	precision := uint(r.Take(4)) + 1
	shift := r.Signed(5)
	if precision == 16 || shift < 0 {
		return errors.New("a reserved predictor")
	}
	var coefs [32]int64
	for i := order - 1; i >= 0; i-- { // the last one's is the next sample's
		coefs[i] = r.Signed(precision)
	}
	if err := readResidual(r, x, order); err != nil {
		return err
	}
	taps := coefs[:order]
	for i := order; i < len(x); i++ {
		sum := int64(0)
		for j, y := range x[i-order : i] {
			sum += taps[j] * y
		}
		x[i] += sum >> uint(shift)
	}
	return nil
}

// readWarmUp reads the samples that a predictor starts from.
func readWarmUp(r *source.MSB, x []int64, bits uint, order int) error {
	if order > len(x) {
		return errors.New("a predictor longer than the block")
	}
	for i := range order {
		x[i] = r.Signed(bits)
	}
	return nil
}

// readResidual reads the Rice codes of a block into x[order:].
func readResidual(r *source.MSB, x []int64, order int) error {
	method := r.Take(2)
	if method > 1 {
		return errors.New("a reserved coding of residuals")
	}
	width := uint(4 + method)
	escape := uint64(1)<<width - 1
	parts := r.Take(4)
	size := len(x) >> parts
	if size<<parts != len(x) || size < order {
		return fmt.Errorf("%d frames do not fall into %d parts", len(x), 1<<parts)
	}
	i := order
	for end := size; end <= len(x); end += size {
		k := r.Take(width)
		if k == escape {
			n := uint(r.Take(5))
			for ; i < end; i++ {
				x[i] = r.Signed(n)
			}
		} else {
			for ; i < end; i++ {
				code := r.Unary()<<k | r.Take(uint(k))
				x[i] = int64(code>>1) ^ -int64(code&1)
			}
		}
		if r.Over() {
			return errShort
		}
	}
	return nil
}
