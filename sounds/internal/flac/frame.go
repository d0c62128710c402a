package flac

import (
	"errors"
	"fmt"

	"voicepool/sounds/internal/source"
)

var (
	errSync  = errors.New("no frame begins here")
	errShort = errors.New("cut short")
)

// frame decodes one FLAC frame at a time, and holds its samples.
type frame struct {
	block    int   // frames in it
	number   int64 // frame number, or with variable the number of its first sound frame
	variable bool  // the frames have different sizes
	samples  [8][]int64
	cost     int // number of decoded samples
}

// Channel assignments of stereo frames.
const (
	leftSide  = 8
	sideRight = 9
	midSide   = 10
)

// readHeader parses the header of a FLAC frame (RFC 9639, section 9.1) into f, and compares it with info, the
// properties of the file. data begins with the frame, and r must be a reader at the beginning of data; afterwards r
// is behind the header. mode is the channel assignment: the number of channels minus 1, or for coupled stereo
// leftSide, sideRight or midSide.
//
// The error is errSync if no frame begins there, errShort if data ends before the header, or reports an invalid
// field.
func (f *frame) readHeader(r *source.MSB, data []byte, info *streamInfo) (mode int, err error) {
	if r.ReadBits(15) != 0x7ffc {
		return 0, errSync
	}
	f.variable = r.ReadBits(1) == 1
	sizeCode, rateCode := r.ReadBits(4), r.ReadBits(4)
	mode = int(r.ReadBits(4))
	bitsCode := r.ReadBits(3)
	if r.ReadBits(1) != 0 {
		return 0, errSync
	}
	f.number = int64(r.ReadBits(8))
	if n := codedLength(byte(f.number)); n > 1 {
		for f.number &= 0x7f >> n; n > 1; n-- {
			f.number = f.number<<6 | int64(r.ReadBits(8)&0x3f)
		}
	}
	switch {
	case sizeCode == 0:
		return 0, errors.New("a reserved block size")
	case sizeCode == 1:
		f.block = 192
	case sizeCode <= 5:
		f.block = 144 << sizeCode
	case sizeCode == 6:
		f.block = int(r.ReadBits(8)) + 1
	case sizeCode == 7:
		f.block = int(r.ReadBits(16)) + 1
	default:
		f.block = 1 << sizeCode
	}
	rate := info.rate
	switch rateCode {
	case 0:
	case 12, 13, 14:
		rate = int64(r.ReadBits([...]uint{8, 16, 16}[rateCode-12])) * [...]int64{1000, 1, 10}[rateCode-12]
	case 15:
		return 0, errors.New("a reserved rate")
	default:
		rate = [...]int64{1: 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000}[rateCode]
	}
	at := r.Position() / 8
	sum := uint32(r.ReadBits(8))
	if r.PastEnd() {
		return 0, errShort
	}
	if crc8(data[:at]) != sum {
		return 0, errors.New("the checksum of its header is wrong")
	}
	bits, channels := info.bits, mode+1
	switch bitsCode {
	case 0:
	case 3:
		return 0, errors.New("a reserved sample size")
	default:
		bits = [...]uint{1: 8, 12, 0, 16, 20, 24, 32}[bitsCode]
	}
	if mode >= leftSide {
		channels = 2
	}
	switch {
	case mode > midSide:
		return 0, errors.New("reserved channels")
	case channels != info.channels:
		return 0, fmt.Errorf("it has %d channels, the file says %d", channels, info.channels)
	case bits != info.bits:
		return 0, fmt.Errorf("it has %d bits, the file says %d", bits, info.bits)
	case rate != info.rate:
		return 0, fmt.Errorf("its rate is %d Hz, the file says %d", rate, info.rate)
	case f.block > info.maxBlock:
		return 0, fmt.Errorf("%d frames in a block, the file says at most %d", f.block, info.maxBlock)
	}
	return mode, nil
}

// read decodes the whole frame at the beginning of data into f, and returns its length in bytes. It verifies the
// checksum, and that the frame agrees with info, the properties of the file. The error is errSync if no frame begins
// there, errShort if data ends before the frame, or reports invalid data. After an error f.samples is invalid. read
// also sets f.cost, the number of decoded samples, in any case.
func (f *frame) read(data []byte, info *streamInfo) (int, error) {
	r := source.NewMSB(data)
	f.cost = 0
	mode, err := f.readHeader(r, data, info)
	if err != nil {
		return 0, err
	}
	bits, channels := info.bits, info.channels
	f.cost = f.block * channels
	for ch := range channels {
		b := bits
		if mode == leftSide && ch == 1 || mode == sideRight && ch == 0 || mode == midSide && ch == 1 {
			b++ // a difference needs one more bit
		}
		if cap(f.samples[ch]) < f.block {
			f.samples[ch] = make([]int64, f.block)
		}
		f.samples[ch] = f.samples[ch][:f.block]
		err := readSubframe(r, f.samples[ch], b)
		if r.PastEnd() {
			return 0, errShort
		}
		if err != nil {
			return 0, err
		}
	}
	r.Align()
	at := r.Position() / 8
	check := uint32(r.ReadBits(16))
	if r.PastEnd() {
		return 0, errShort
	}
	if crc16(data[:at]) != check {
		return 0, errors.New("its checksum is wrong")
	}
	f.undoStereo(mode)
	limit := int64(1) << (bits - 1)
	for ch := range channels {
		for _, x := range f.samples[ch] {
			if x < -limit || x >= limit {
				return 0, fmt.Errorf("a sample of %d does not fit %d bits", x, bits)
			}
		}
	}
	return at + 2, nil
}

// codedLength returns the length in bytes, 1 to 7, of a FLAC frame number whose first byte is b (RFC 9639, section
// 9.1.5). The coding is an extended UTF-8. An invalid first byte also gives a result in this range.
func codedLength(b byte) int {
	n := 0
	for ; b&0x80 != 0 && n < 7; b <<= 1 {
		n++
	}
	return max(n, 1)
}

// undoStereo converts the two channels in f.samples to left and right, in place (RFC 9639, section 4.2). mode is the
// channel assignment: one channel may be coded as the difference, or both as mid and side. For independent channels
// it has no effect.
func (f *frame) undoStereo(mode int) {
	a, b := f.samples[0], f.samples[1]
	switch mode {
	case leftSide:
		for i := range a {
			b[i] = a[i] - b[i]
		}
	case sideRight:
		for i := range a {
			a[i] += b[i]
		}
	case midSide:
		for i := range a {
			mid := a[i]<<1 | b[i]&1
			a[i], b[i] = (mid+b[i])>>1, (mid-b[i])>>1
		}
	}
}

// The checksums of a frame header and of a whole frame.
var (
	crc8  = source.CRC(8, 0x07)
	crc16 = source.CRC(16, 0x8005)
)

// readSubframe decodes a subframe (RFC 9639, section 9.2) from r: it fills dst with the samples of one channel, as
// integers with the given number of bits, at most 33. If r.PastEnd is true afterwards, the data is cut short, and the
// error must be ignored. Otherwise an error reports invalid data.
func readSubframe(r *source.MSB, dst []int64, bits uint) error {
	if r.ReadBits(1) != 0 {
		return errors.New("a subframe without its zero bit")
	}
	kind := int(r.ReadBits(6))
	wasted := uint(0)
	if r.ReadBits(1) == 1 {
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
		err = readPredicted(r, dst, bits, kind-8, true)
	case kind >= 32:
		err = readPredicted(r, dst, bits, kind-31, false)
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

// readPredicted fills x with samples that are coded by linear prediction (RFC 9639, sections 9.2.5 and 9.2.6). It
// reads from r the first samples, of the given number of bits, and the residuals, and adds the predictions. order is
// the number of samples that a prediction uses, 0 to 32. If fixed is true, the predictor is the fixed predictor of
// that order, 0 to 4; otherwise its coefficients are read. The error reports invalid data or is errShort.
func readPredicted(r *source.MSB, x []int64, bits uint, order int, fixed bool) error {
	if order > len(x) {
		return errors.New("a predictor longer than the block")
	}
	for i := range order {
		x[i] = r.Signed(bits)
	}
	var factors [32]int64
	shift := int64(0)
	if !fixed {
		precision := uint(r.ReadBits(4)) + 1
		shift = r.Signed(5)
		if precision == 16 || shift < 0 {
			return errors.New("a reserved predictor")
		}
		for i := order - 1; i >= 0; i-- { // the last coefficient comes first in the file
			factors[i] = r.Signed(precision)
		}
	}
	if err := readResidual(r, x, order); err != nil {
		return err
	}
	switch {
	case !fixed:
		predict(x, factors[:order], uint(shift))
	case order == 1:
		for i := 1; i < len(x); i++ {
			x[i] += x[i-1]
		}
	case order == 2:
		for i := 2; i < len(x); i++ {
			x[i] += 2*x[i-1] - x[i-2]
		}
	case order == 3:
		for i := 3; i < len(x); i++ {
			x[i] += 3*(x[i-1]-x[i-2]) + x[i-3]
		}
	case order == 4:
		for i := 4; i < len(x); i++ {
			x[i] += 4*(x[i-1]+x[i-3]) - 6*x[i-2] - x[i-4]
		}
	}
	return nil
}

// predict replaces the residuals in x by samples, in place. A sample is the residual plus the prediction, which is
// the weighted sum of the previous samples, shifted right by shift bits. factors are the weights, and the last one
// belongs to the previous sample. The first len(factors) elements of x are samples already. Up to 12 factors are
// padded with leading zeros to 8 or 12, so that the inner loop is unrolled.
func predict(x, factors []int64, shift uint) {
	i := len(factors)
	slow := func(end int) {
		for end = min(end, len(x)); i < end; i++ {
			sum := int64(0)
			for j, y := range x[i-len(factors) : i] {
				sum += factors[j] * y
			}
			x[i] += sum >> shift
		}
	}
	var padded [12]int64
	if len(factors) <= len(padded) {
		copy(padded[len(padded)-len(factors):], factors)
		slow(len(padded))
	}
	switch {
	case len(factors) > len(padded):
		slow(len(x))
	case len(factors) > 8:
		for f := &padded; i < len(x); i++ {
			w := (*[13]int64)(x[i-12:])
			sum := f[0]*w[0] + f[1]*w[1] + f[2]*w[2] + f[3]*w[3] + f[4]*w[4] + f[5]*w[5]
			sum += f[6]*w[6] + f[7]*w[7] + f[8]*w[8] + f[9]*w[9] + f[10]*w[10] + f[11]*w[11]
			w[12] += sum >> shift
		}
	default:
		for f := (*[8]int64)(padded[4:]); i < len(x); i++ {
			w := (*[9]int64)(x[i-8:])
			sum := f[0]*w[0] + f[1]*w[1] + f[2]*w[2] + f[3]*w[3] + f[4]*w[4] + f[5]*w[5] + f[6]*w[6] + f[7]*w[7]
			w[8] += sum >> shift
		}
	}
}

// readResidual reads the Rice-coded residuals of a block (RFC 9639, section 9.2.7) from r into x[order:]. The first
// order elements of x are samples, which it leaves unchanged. The error reports invalid data or is errShort.
func readResidual(r *source.MSB, x []int64, order int) error {
	method := r.ReadBits(2)
	if method > 1 {
		return errors.New("a reserved coding of residuals")
	}
	width := uint(4 + method)
	escape := uint64(1)<<width - 1
	parts := r.ReadBits(4)
	size := len(x) >> parts
	if size<<parts != len(x) || size < order {
		return fmt.Errorf("%d frames do not fall into %d parts", len(x), 1<<parts)
	}
	i := order
	for end := size; end <= len(x); end += size {
		k := r.ReadBits(width)
		if k == escape {
			n := uint(r.ReadBits(5))
			for ; i < end; i++ {
				x[i] = r.Signed(n)
			}
		} else {
			r.Rice(x[i:end], uint(k))
			i = end
		}
		if r.PastEnd() {
			return errShort
		}
	}
	return nil
}
