package service

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/problem"
	"voicepool/cmd/internal/room"
	"voicepool/sounds"
)

// Role is what a caller may do. Each may do what those before it may.
type Role uint8

const (
	Public  Role = iota // health and the document: nobody is asked
	Read                // see and hear
	Operate             // play, and all that sounds
	Admin               // make and end rooms, add sounds
)

// Options say how a Server serves. The zero value lets everybody do everything.
type Options struct {
	// Folder is where the sounds of rooms lie that calls make, each room's in a folder of its name; empty:
	// those take no sounds.
	Folder  string
	Workers *room.Workers // mix rooms that calls make; nil: some of the server's own
	Limits  Limits
	Sounds  sounds.Limits // of each sound

	// Allow returns an error, a *problem.Problem, where the caller of a context has not the role in a
	// room; a room of "" is none in particular. Nil: everybody may do everything.
	Allow func(ctx context.Context, role Role, room string) error

	// Take counts n requests more of the caller of a context: a message of a WebSocket is one, and each
	// command of a batch behind its first. It returns an error, a *problem.Problem, where there are too
	// many. Nil: nobody counts.
	Take func(ctx context.Context, n int) error

	// Barred returns an error, a *problem.Problem, while a room takes no orders of a role above Read. Nil:
	// each takes them. Any goroutine.
	Barred func(room string) error

	// Elsewhere returns the address of the server that plays a room which this one does not, as
	// http://HOST:PORT; empty: no other has it. Calls are sent there. The error, a *problem.Problem, is of a room
	// that nobody plays at the moment. Nil: there are no others. Any goroutine.
	Elsewhere func(room string) (address string, err error)

	// Keep stores a room before a call that has made or changed it is answered. After an error the call undoes
	// what it has done. Nil: nothing is stored. Any goroutine.
	Keep func(*room.Room) error

	// Raise makes a room for a call, and adds it. Nil: the server does.
	Raise func(ctx context.Context, room string, text []byte) error

	// Ending is asked before a call ends a room with a fade, and may fade it out itself; an error, a
	// *problem.Problem, keeps it. Nil: it may. Any goroutine.
	Ending func(ctx context.Context, room string, fade time.Duration) error

	// Ready returns an error, a *problem.Problem, while the server as a whole cannot play. Nil: it can.
	Ready func() error

	// Gone removes the files of a room that a call has ended, before another can have its name; nil: they
	// stay. Any goroutine.
	Gone func(*room.Room)

	// Opening has the server answer 503 to all but health and the document, until Opened is called.
	Opening bool

	Board http.Handler // answers "/" and below; nil: nobody
	Say   func(string) // told what people should know, a line each; any goroutine; nil: nobody
}

// Limits bound what calls may cost; 0 is the default behind each.
type Limits struct {
	Rooms      int   // 2,000
	RoomVoices int   // 65,536 of all rooms that calls make, real and virtual
	RoomSounds int   // 1,000 files of a room
	RoomBytes  int64 // 1 GiB of sounds of a room
	SheetBytes int64 // 1 MiB
	SoundBytes int64 // 64 MiB
	BodyBytes  int64 // 64 KiB, of orders and messages
	Sockets    int   // 4,096: WebSockets, streams of events and of sound at once
}

func (l *Limits) fill() {
	for _, f := range []struct {
		p    *int
		most int
	}{{&l.Rooms, 2000}, {&l.RoomVoices, 65_536}, {&l.RoomSounds, 1000}, {&l.Sockets, 4096}} {
		if *f.p == 0 {
			*f.p = f.most
		}
	}
	for _, f := range []struct {
		p    *int64
		most int64
	}{{&l.RoomBytes, 1 << 30}, {&l.SheetBytes, 1 << 20}, {&l.SoundBytes, 64 << 20}, {&l.BodyBytes, 64 << 10}} {
		if *f.p == 0 {
			*f.p = f.most
		}
	}
}

// Server answers calls. It is an http.Handler; all methods may be called by any goroutine.
type Server struct {
	options Options
	mux     *http.ServeMux
	keys    keys
	metrics *metrics
	uploads chan struct{} // one for each sound that is taken at once
	drawing chan struct{} // one for each timeline that is drawn at once
	open    atomic.Int64  // sockets and streams

	patience time.Duration // with a reader that takes nothing of an answer

	ctx    context.Context // ends with the server
	cancel context.CancelFunc
	calls  sync.WaitGroup // sockets and streams, and the houses' watchers

	mutex     sync.RWMutex
	houses    map[string]*house    // nil: of a room that is being made
	entrances map[string]*entrance // by the names of rooms, see alone
	own       *room.Workers        // started for the first room that needs them
	closed    bool

	opening atomic.Bool
}

// farewell is how long sockets and streams may take to end by themselves.
const farewell = 300 * time.Millisecond

// uploading is how many sounds are taken at once, and drawing how many timelines are drawn.
const uploading, drawing = 4, 4

// New returns a server without rooms.
func New(o Options) *Server {
	o.Limits.fill()
	s := &Server{
		options: o, mux: http.NewServeMux(), uploads: make(chan struct{}, uploading), drawing: make(chan struct{}, drawing),
		patience: patience, houses: map[string]*house{}, entrances: map[string]*entrance{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.opening.Store(o.Opening)
	s.metrics = newMetrics(s)
	for _, r := range routes {
		s.mux.Handle(r.pattern, s.route(&r))
	}
	s.mux.HandleFunc("/", s.other)
	return s
}

// ServeHTTP answers a call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	t := &told{ResponseWriter: w, out: http.NewResponseController(w), patience: s.patience}
	defer func() {
		p := recover()
		if t.slow && !t.lasts {
			s.metrics.slow("answers")
		}
		if p == http.ErrAbortHandler {
			s.metrics.call(r.Pattern, t.status, time.Since(began))
			panic(p)
		}
		if p != nil {
			s.say("a call of " + r.Pattern + " went wrong: this is a fault of the program")
			if t.status == 0 {
				problem.New(http.StatusInternalServerError, "something went wrong here; it is not the call's fault").Write(t)
			}
		}
		s.metrics.call(r.Pattern, t.status, time.Since(began))
	}()
	s.mux.ServeHTTP(t, r)
}

// allow asks whether a caller has a role in a room.
func (s *Server) allow(ctx context.Context, role Role, name string) error {
	if role == Public {
		return nil
	}
	if is, err := trusted(ctx, role); is || s.options.Allow == nil {
		return err
	}
	return s.options.Allow(ctx, role, name)
}

// count counts n requests more of a caller.
func (s *Server) count(ctx context.Context, n int) error {
	if s.options.Take == nil || n <= 0 {
		return nil
	}
	return s.options.Take(ctx, n)
}

func (s *Server) say(line string) {
	if s.options.Say != nil {
		s.options.Say(line)
	}
}

// Close ends all rooms within a time, and all sockets and streams. It returns when they have ended.
func (s *Server) Close(fade time.Duration) {
	s.mutex.Lock()
	s.closed = true
	all := s.houses
	s.houses = map[string]*house{}
	own := s.own
	s.mutex.Unlock()
	var ends sync.WaitGroup
	for _, h := range all {
		if h != nil {
			ends.Go(func() { _ = h.room.Close(fade) }) // what a device says at the end helps nobody
		}
	}
	ends.Wait()
	over := make(chan struct{})
	go func() {
		s.calls.Wait()
		close(over)
	}()
	parting := time.NewTimer(farewell)
	defer parting.Stop()
	select {
	case <-over: // all have been told of the end
	case <-parting.C:
	}
	s.cancel()
	<-over
	if own != nil {
		own.Close()
	}
}
