//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device/internal/native"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// patience is the time limit of Open.
const patience = 2 * time.Second

// goneError is the error of a removed sink: the server has ended the stream, or has moved it to another sink.
type goneError string

// Error returns a message with the name of the sink.
func (sink goneError) Error() string {
	return fmt.Sprintf("the sink %q is gone", words.OneLine(string(sink)))
}

// Open connects to the sound server and creates a stream on one of its sinks, which plays from Start on.
// Without a server, or if it does not answer within 2 s or until ctx ends, the error wraps
// device.ErrUnavailable. If the sink does not exist, the error contains the nearest name. If the sink has fewer
// channels than Config.Outputs needs, the error wraps device.ErrOutputs. Control side.
func Open(ctx context.Context, c Config) (*Device, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := newDevice(c)
	conn, err := native.Dial(ctx, d.client())
	if err != nil {
		return nil, unavailable(err)
	}
	return d.on(ctx, conn)
}

// on creates the device's stream on conn before ctx ends, and returns d. If it fails, it closes conn.
func (d *Device) on(ctx context.Context, conn *native.Conn) (*Device, error) {
	defer context.AfterFunc(ctx, conn.Close)()
	d.conn = conn
	err := d.create()
	if err != nil {
		conn.Close()
		return nil, err
	}
	return d, nil
}

// create creates the stream on the configured sink. The stream is corked, so it does not play before Start
// uncorks it.
func (d *Device) create() error {
	sink, err := choose(d.conn, d.config)
	if err != nil {
		return err
	}
	d.configSink = sink
	c := d.config
	title := cmp.Or(c.Title, c.Name)
	buffer := uint32(pcm.Frames(c.Buffer, c.Rate) * d.size)
	request := proto.CreatePlaybackStream{
		SampleSpec:            proto.SampleSpec{Format: proto.FormatFloat32LE, Channels: byte(c.channels()), Rate: uint32(c.Rate)},
		ChannelMap:            c.channelMap(),
		ChannelVolumes:        slices.Repeat(proto.ChannelVolumes{proto.VolumeNorm}, c.channels()), // full volume, multiplied by the user's
		NoRemap:               c.Outputs > 1,                                                       // channel k is channel k of the sink
		NoRemix:               c.Outputs > 1,
		SinkIndex:             sink,
		Corked:                true,
		BufferMaxLength:       proto.Undefined,
		BufferTargetLength:    buffer,
		BufferPrebufferLength: proto.Undefined,
		BufferMinimumRequest:  proto.Undefined,
		AdjustLatency:         true,
		Properties:            native.Properties(map[string]string{"media.name": title}),
	}
	var reply proto.CreatePlaybackStreamReply
	if err := d.conn.Request(&request, &reply); err != nil {
		err = d.conn.Explain(err)
		if name, _ := c.sink(); name != "" && errors.Is(err, native.ErrNoSink) { // it existed a moment ago
			err = goneError(name)
		}
		return unavailable(err)
	}
	if err := d.checkSink(reply.SinkIndex, reply.SinkName); err != nil {
		return err
	}
	d.stream = reply.StreamIndex
	d.setSink(reply.SinkName, reply.BufferTargetLength, reply.SinkLatency, reply.SinkSuspended)
	d.addRequest(reply.Missing)
	return nil
}

// choose returns the index of the configured sink, or proto.Undefined for the server's default sink. If the sink
// does not exist, the error contains the nearest name.
func choose(conn *native.Conn, c Config) (uint32, error) {
	name, by := c.sink()
	if name == "" {
		return proto.Undefined, nil
	}
	var sinks proto.GetSinkInfoListReply
	if err := conn.Request(&proto.GetSinkInfoList{}, &sinks); err != nil {
		return 0, unavailable(conn.Explain(err))
	}
	var names []string
	for _, s := range sinks {
		if s.SinkName == name {
			return s.SinkIndex, nil
		}
		names = append(names, s.SinkName)
	}
	if len(names) == 0 {
		return 0, unavailable(conn.Explain(native.ErrNoSink))
	}
	near := words.Nearest(name, names)
	return 0, unavailable(fmt.Errorf("%sno sink %q, the nearest is %q", by, words.OneLine(name), near))
}

// Sinks lists the sinks of the sound server. It returns the errors of Open.
func Sinks(ctx context.Context) ([]Sink, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := native.Dial(ctx, native.Client{})
	if err != nil {
		return nil, unavailable(err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, conn.Close)()
	return sinks(conn)
}

// sinks returns the sinks of the server of conn, with the default sink marked.
func sinks(conn *native.Conn) ([]Sink, error) {
	var server proto.GetServerInfoReply
	var sinks proto.GetSinkInfoListReply
	if err := errors.Join(conn.Request(&proto.GetServerInfo{}, &server),
		conn.Request(&proto.GetSinkInfoList{}, &sinks)); err != nil {
		return nil, unavailable(conn.Explain(err))
	}
	var list []Sink
	for _, s := range sinks {
		list = append(list, Sink{
			Name: s.SinkName, Description: s.Properties["device.description"].String(),
			Rate: int(s.Rate), Channels: int(s.Channels),
			Default: s.SinkName == server.DefaultSinkName, Suspended: s.State == suspended, Muted: s.Mute,
		})
	}
	return list, nil
}

// suspended is the state of a suspended sink.
const suspended = 2

// Server reports whether there is a sound server at its usual address, without connecting. detail is the
// address, or why there is none.
func Server() (found bool, detail string) { return native.ProbeAny() }
