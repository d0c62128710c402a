package steal

import (
	"encoding/binary"
	"io"
)

// WriteTo writes the recording as a WAV file.
func (r *Recording) WriteTo(w io.Writer) (int64, error) {
	const head = 44
	size := 2 * len(r.Samples)
	b := make([]byte, 0, head+size)
	le := binary.LittleEndian
	b = le.AppendUint32(append(b, "RIFF"...), uint32(head-8+size))
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint32(b, Rate)
	b = le.AppendUint32(b, 2*Rate)
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, 16)
	b = le.AppendUint32(append(b, "data"...), uint32(size))
	for _, x := range r.Samples {
		b = le.AppendUint16(b, uint16(x))
	}
	n, err := w.Write(b)
	return int64(n), err
}
