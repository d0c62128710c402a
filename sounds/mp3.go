package sounds

import (
	"context"
	"errors"
	"fmt"
)

// The project decodes MP3 itself, since the usual library panics on mixed
// blocks, mistakes the edges of short ones, plays noise where the data of frames
// before is missing, miscounts padded frames of MPEG-2, does not know MPEG 2.5,
// cuts samples off to 16 bits, and trims nothing. All sums are in float64 with
// every product converted, so the samples have the same bits on every machine.

// mp3DecoderDelay is how many frames late every decoder of layer III gives its
// sound; encoders do not count it in what they note.
const mp3DecoderDelay = 528 + 1

// decodeMP3 reads layer III of MPEG-1, MPEG-2 and MPEG 2.5. A file that ends
// within a frame is read up to there, unless it announces more: many do.
func decodeMP3(ctx context.Context, file []byte, lim Limits) (*Clip, error) {
	body := file[id3Size(file):]
	at, head, err := firstMP3Frame(body)
	if err != nil {
		return nil, err
	}
	if err := lim.shape(head.channels, int64(head.rate)); err != nil {
		return nil, err
	}
	body = body[at:]
	note, ok := readXing(body[:min(head.size, len(body))], head)
	if ok {
		body = body[min(head.size, len(body)):]
	}
	d := &mp3Decoder{head: head, lines: newMP3Lines(), synth: newMP3Synth()}
	c := &Clip{Format: "mp3", Channels: head.channels, Rate: head.rate}
	for len(body) > 0 && !isTrailer(body) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := d.frame(body, c)
		if err != nil {
			return nil, broken("frame %d: %v", c.Frames(), err)
		}
		body = body[n:]
		if err := lim.length(c.Frames(), c.Channels); err != nil {
			return nil, err
		}
	}
	switch {
	case d.count == 0:
		return nil, broken("there is no whole MP3 frame in it")
	case note.frames > d.count:
		return nil, broken("cut short: %d MP3 frames are announced, %d are there", note.frames, d.count)
	}
	if note.known {
		from := min(note.delay+mp3DecoderDelay, c.Frames())
		to := max(from, c.Frames()-max(0, note.padding-mp3DecoderDelay))
		c.Samples = c.Samples[from*int64(c.Channels) : to*int64(c.Channels)]
	}
	applyTags(c, parseID3(file))
	return c, nil
}

// mp3Reservoir is how many bytes of data of past frames a frame may use.
const mp3Reservoir = 511

// mp3Decoder decodes the frames of one file.
type mp3Decoder struct {
	head     mp3Header // of the first frame; the others agree with it
	count    int64
	data     []byte // the last of the frames before, then the frame's own
	lines    *mp3Lines
	synth    *mp3Synth
	channels [2]mp3Channel
	x        [2][576]float64
	bands    [2][2][]mp3Band // by granule and channel
}

// frame decodes the MP3 frame at the beginning of b into c, or passes over
// rubbish before the next one. It returns how many bytes that is.
func (d *mp3Decoder) frame(b []byte, c *Clip) (int, error) {
	h, ok, err := parseMP3Header(b)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		at, next, err := firstMP3Frame(b)
		if err != nil || next.rate != d.head.rate {
			return len(b), nil // what follows the last frame, whatever it is
		}
		return at, nil
	case h.rate != d.head.rate || h.channels != d.head.channels:
		return 0, fmt.Errorf("%d channels at %d Hz after %d at %d Hz", h.channels, h.rate, d.head.channels, d.head.rate)
	}
	start := 4
	if h.crc {
		start += 2
	}
	data := start + h.sideSize()
	switch {
	case h.size < data:
		return 0, fmt.Errorf("a frame of %d bytes has no room for what it must hold", h.size)
	case h.size > len(b) && d.count == 0:
		return 0, errors.New("cut short")
	case h.size > len(b):
		return len(b), nil
	}
	side, err := readMP3Side(b[start:data], h)
	if err != nil {
		return 0, err
	}
	have := len(d.data)
	d.data = append(d.data, b[data:h.size]...)
	// A frame whose data lies in frames that are not there is silent: so it is
	// with the first ones of a file that was cut out of another.
	silent := side.begin > have
	if err := d.decode(h, &side, d.data[max(have-side.begin, 0):], silent, c.grow(h.frames()*h.channels)); err != nil {
		return 0, err
	}
	if n := len(d.data); n > mp3Reservoir {
		d.data = append(d.data[:0], d.data[n-mp3Reservoir:]...)
	}
	d.count++
	return h.size, nil
}

// decode decodes the granules of a frame into dst.
func (d *mp3Decoder) decode(h mp3Header, side *mp3Side, data []byte, silent bool, dst []float32) error {
	at := 0 // in bits
	for i := range h.granules() {
		for ch := range h.channels {
			g := &side.granules[i][ch]
			if silent {
				clear(d.x[ch][:])
				d.bands[i][ch] = g.bandsOf(h, d.bands[i][ch][:0])
				continue
			}
			end := at + g.bits
			if end > 8*len(data) {
				return errMP3Data
			}
			r := &flacBits{data: data, at: at / 8}
			r.take(uint(at % 8))
			bands := g.bandsOf(h, d.bands[i][ch][:0])
			d.bands[i][ch] = bands
			if h.low {
				g.readScalesLow(r, bands, h.intensity && ch == 1)
			} else {
				var shared [4]bool
				if i == 1 {
					shared = side.shared[ch]
				}
				g.readScales(r, bands, d.bands[0][ch], &shared)
			}
			if err := d.lines.read(r, end, g, &d.x[ch]); err != nil {
				return err
			}
			at = end
			g.scale(bands, &d.x[ch])
		}
		if h.channels == 2 {
			undoMP3Stereo(h, &side.granules[i][1], d.bands[i][1], &d.x[0], &d.x[1])
		}
		for ch := range h.channels {
			reorderMP3(d.bands[i][ch], &d.x[ch])
			d.synth.granule(&side.granules[i][ch], &d.channels[ch], &d.x[ch], dst[i*576*h.channels+ch:], h.channels)
		}
	}
	return nil
}
