package service

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"

	"github.com/coder/websocket"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
)

// wavHeader returns the 44-byte header of an endless WAV file with 16-bit stereo PCM. rate is the sample rate in Hz.
// The two size fields of the header have the largest value, because the length is unknown.
func wavHeader(rate int) []byte {
	const endless, channels, bytes = 0xFFFFFFFF, 2, 2
	b := append(make([]byte, 0, 44), "RIFF\xff\xff\xff\xffWAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, 1) // PCM
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate*channels*bytes))
	b = binary.LittleEndian.AppendUint16(b, channels*bytes)
	b = binary.LittleEndian.AppendUint16(b, 8*bytes)
	b = append(b, "data"...)
	return binary.LittleEndian.AppendUint32(b, endless)
}

// wav answers an HTTP request with the mix of a room, as an endless WAV file in real time. The query parameter output
// names an output of the room. Without it, the client gets the first output or, in a room without a sound card, the sum
// of all outputs. The stream ends when the client disconnects, or when the room or the server ends. A client that reads
// too slowly is dropped and counted in the metrics. A HEAD request gets only the HTTP headers.
//
// wav returns an error only before the answer has begun: for an unknown room or output, or too many streams.
func (s *Server) wav(w http.ResponseWriter, r *http.Request) error {
	h, err := s.entry(r.PathValue("room"))
	if err != nil {
		return err
	}
	l, err := h.room.Listen(r.URL.Query().Get("output"))
	if err != nil {
		return err
	}
	defer l.Close()
	begin := func() {
		w.Header().Set("Content-Type", "audio/wav")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
	}
	if r.Method == http.MethodHead {
		begin()
		return nil
	}
	return s.stream(w, r, func(ctx context.Context, out *http.ResponseController) error {
		begin()
		for block := wavHeader(l.Rate()); ; {
			_, err := w.Write(block)
			if err == nil {
				err = out.Flush()
			}
			if err != nil {
				s.metrics.countDropped("audio", ctx)
				return nil
			}
			if block, err = l.Next(ctx); err != nil {
				if errors.Is(err, room.ErrSlow) {
					s.metrics.countDropped("audio", ctx)
				}
				return nil
			}
		}
	})
}

// audioFormat is the first message of an audio WebSocket: the format of the blocks that follow.
type audioFormat struct {
	Rate     int    `json:"rate"`
	Channels int    `json:"channels"`
	Format   string `json:"format"`
}

// audio sends the mix of a room over a WebSocket in real time. The query parameter output names an output of the room.
// Without it, the client gets the first output or, in a room without a sound card, the sum of all outputs. The first
// message is JSON with the format. Each later message is binary and holds frames of 16-bit little-endian stereo. audio
// returns when the client, the room or the server has ended. A client that reads too slowly is disconnected and counted
// in the metrics.
//
// audio returns an error only before the upgrade to a WebSocket: for an unknown room or output, a missing Upgrade
// header, or too many streams.
func (s *Server) audio(w http.ResponseWriter, r *http.Request) error {
	h, err := s.entry(r.PathValue("room"))
	if err != nil {
		return err
	}
	if err := requireUpgrade(w, r); err != nil {
		return err
	}
	l, err := h.room.Listen(r.URL.Query().Get("output"))
	if err != nil {
		return err
	}
	defer l.Close()
	return s.upgrade(w, r, "audio", func(ctx context.Context, c *webSocket) {
		ctx = c.CloseRead(ctx)
		if !s.send(ctx, c, websocket.MessageText, audioFormat{l.Rate(), 2, "s16le"}) {
			return
		}
		for {
			block, err := l.Next(ctx)
			if err != nil {
				s.closeStream(ctx, c, err, "audio")
				return
			}
			if !s.push(ctx, c, websocket.MessageBinary, block, "audio") {
				return
			}
		}
	})
}

// closeStream closes the WebSocket c after the error err has ended its stream. If err is room.ErrSlow, it closes with
// code 1008 and counts a slow client in the metrics under the label kind. Any other err means that the room or the
// server has ended, and the code is 1001. If ctx has ended but the server still runs, the client has disconnected
// already, and closeStream does not act.
func (s *Server) closeStream(ctx context.Context, c *webSocket, err error, kind string) {
	switch {
	case ctx.Err() != nil && s.ctx.Err() == nil: // the client has gone
	case errors.Is(err, room.ErrSlow):
		s.metrics.countDropped(kind, ctx)
		_ = c.Close(websocket.StatusPolicyViolation, "too slow") // the close frame may not reach a slow client
	default:
		_ = c.Close(websocket.StatusGoingAway, "the room has ended")
	}
}

// requireUpgrade returns nil if the request r has an Upgrade header, as for a WebSocket. The value of the header is not
// checked. Without the header, requireUpgrade returns an error with the HTTP status 426, and sets the response header
// "Upgrade: websocket". The caller must write the answer.
func requireUpgrade(w http.ResponseWriter, r *http.Request) error {
	if r.Header.Get("Upgrade") == "" {
		w.Header().Set("Upgrade", "websocket")
		return problemjson.New(http.StatusUpgradeRequired, "this path is a WebSocket; send the header Upgrade: websocket").WithField("Upgrade")
	}
	return nil
}
