package codecs

import (
	"encoding/binary"
	"math"
	"os"
)

// signal returns frames of a loud test signal as signed integers. Each channel has tones up to the highest
// band, a noise burst, silence and pulses, so that encoders use long and short blocks, all bands and all
// stereo modes. Channels are partly equal for a third of the signal, then different.
func signal(e encoding) []int32 {
	out := make([]int32, e.frames*e.channels)
	full := float64(int(1)<<(e.bits-1)) - 1
	state := uint64(e.rate*8 + e.channels)
	for i := range e.frames {
		t := float64(i) / float64(e.rate)
		place := float64(i) / float64(e.frames)
		for c := range e.channels {
			state = state*6364136223846793005 + 1442695040888963407
			noise := float64(int32(state>>32)) / (1 << 31)
			x := 0.3*math.Sin(2*math.Pi*220*t) + 0.12*math.Sin(2*math.Pi*0.21*float64(i)) + 0.05*math.Sin(2*math.Pi*0.41*float64(i))
			if place > 1./3 {
				x = 0.3*math.Sin(2*math.Pi*float64(190+70*c)*t) + 0.1*math.Sin(2*math.Pi*(0.11+0.03*float64(c))*float64(i))
			}
			switch {
			case place > 0.45 && place < 0.6:
				x += 0.25 * noise
			case place > 0.7 && place < 0.75:
				x = 0
			case i%(e.rate/17+1) == 0:
				x += 0.3
			default:
				x += 0.01 * noise
			}
			out[i*e.channels+c] = int32(math.Round(x * full))
		}
	}
	return out
}

// writeWAV writes samples as a WAV file. More than two channels or 16 bits require the extensible kind.
func writeWAV(path string, e encoding, samples []int32) error {
	le := binary.LittleEndian
	size := (e.bits + 7) / 8
	data := len(samples) * size
	masks := [...]uint32{0, 4, 3, 7, 0x33, 0x37, 0x3f, 0x13f, 0x63f}
	wide := e.channels > 2 || e.bits > 16
	format := le.AppendUint16(nil, 1)
	if wide {
		format = le.AppendUint16(nil, 0xfffe)
	}
	format = le.AppendUint16(format, uint16(e.channels))
	format = le.AppendUint32(format, uint32(e.rate))
	format = le.AppendUint32(format, uint32(e.rate*e.channels*size))
	format = le.AppendUint16(format, uint16(e.channels*size))
	format = le.AppendUint16(format, uint16(8*size))
	if wide {
		format = le.AppendUint16(format, 22)
		format = le.AppendUint16(format, uint16(e.bits))
		format = le.AppendUint32(format, masks[e.channels])
		format = append(format, "\x01\x00\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"...)
	}
	b := append([]byte("RIFF"), 0, 0, 0, 0)
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, uint32(len(format)))
	b = append(b, format...)
	b = append(b, "data"...)
	b = le.AppendUint32(b, uint32(data))
	for _, x := range samples {
		if size == 1 {
			x += 128
		}
		for i := range size {
			b = append(b, byte(x>>(8*i)))
		}
	}
	if data%2 == 1 {
		b = append(b, 0)
	}
	le.PutUint32(b[4:], uint32(len(b)-8))
	return os.WriteFile(path, b, 0o600)
}
