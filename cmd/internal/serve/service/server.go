package service

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/sounds/library"
)

// Role is a permission level. Each role includes the roles before it.
type Role uint8

const (
	Public  Role = iota // health and the API description: no check
	Read                // see and hear
	Operate             // play, and change the sound
	Admin               // make and end rooms, upload sounds
)

// Options configure a Server. The zero value permits every call to everyone.
type Options struct {
	// Folder holds the sounds of rooms made by calls, in one folder per room, named after it. If
	// empty, these rooms accept no sounds.
	Folder  string
	Workers *room.Workers // mix the rooms made by calls; nil: the server starts its own
	Limits  Limits
	Sounds  library.Limits // for each sound

	// Allow returns a *problemjson.Problem if the caller in ctx lacks the role in a room. The room ""
	// means no particular room. Nil permits everything.
	Allow func(ctx context.Context, role Role, room string) error

	// CountRequests counts n more requests of the caller in ctx against a rate limit: each WebSocket
	// message, and each command of a batch after the first. It returns a *problemjson.Problem if the
	// limit is exceeded. Nil means no limit.
	CountRequests func(ctx context.Context, n int) error

	// CheckOperable returns a *problemjson.Problem while a room rejects orders that need a role above Read.
	// Nil: rooms accept all orders. Safe for concurrent use.
	CheckOperable func(room string) error

	// Locate returns the address of the server that plays a room missing here, as
	// http://HOST:PORT, or "" if the room is unknown. Requests are redirected to it. It returns a
	// *problemjson.Problem if no server plays the room at the moment. Nil: this is the only server.
	// Safe for concurrent use.
	Locate func(room string) (address string, err error)

	// Save stores a room before the call that has made or changed it is answered. If it fails, the
	// call undoes its change. Nil: rooms are not stored. Safe for concurrent use.
	Save func(*room.Room) error

	// Create makes a room for a call and adds it. Nil: the server makes the room itself.
	Create func(ctx context.Context, room string, text []byte) error

	// BeforeEnd is called before a call fades a room out, and may do the fade itself. If it returns a
	// *problemjson.Problem, the room continues. Nil: every room may be ended. Safe for concurrent use.
	BeforeEnd func(ctx context.Context, room string, fade time.Duration) error

	// Ready returns a *problemjson.Problem while the server as a whole cannot play. Nil: it always can.
	Ready func() error

	// RemoveFiles removes the files of a room that a call has ended, before the name is free again. Nil:
	// the files stay. Safe for concurrent use.
	RemoveFiles func(*room.Room)

	// Opening makes the server answer 503 to all calls except health and the API description, until
	// FinishOpening is called.
	Opening bool

	Board http.Handler // serves all paths without a route; optional
	Log   func(string) // receives log lines for the operator; safe for concurrent use; optional
}

// Limits restrict the resources of calls. A field of 0 has the default in its comment.
type Limits struct {
	Rooms      int   // 2,000
	RoomVoices int   // 65,536 in all rooms made by calls, real and virtual
	RoomSounds int   // 1,000 files per room
	RoomBytes  int64 // 1 GiB of sounds per room
	SheetBytes int64 // 1 MiB
	SoundBytes int64 // 64 MiB
	BodyBytes  int64 // 64 KiB, for orders and messages
	Sockets    int   // 4,096: WebSockets and streams of events and audio at once
}

// setDefaults replaces each field of l that is 0 by its default.
func (l *Limits) setDefaults() {
	*l = Limits{
		Rooms: cmp.Or(l.Rooms, 2000), RoomVoices: cmp.Or(l.RoomVoices, 65_536), RoomSounds: cmp.Or(l.RoomSounds, 1000),
		RoomBytes: cmp.Or(l.RoomBytes, 1<<30), SheetBytes: cmp.Or(l.SheetBytes, 1<<20), SoundBytes: cmp.Or(l.SoundBytes, 64<<20),
		BodyBytes: cmp.Or(l.BodyBytes, 64<<10), Sockets: cmp.Or(l.Sockets, 4096),
	}
}

// Server answers calls. It is an http.Handler. All methods are safe for concurrent use.
type Server struct {
	options     Options
	mux         *http.ServeMux
	idempotency idempotency
	metrics     *metrics
	uploads     chan struct{} // one entry for each running upload
	drawing     chan struct{} // one entry for each timeline being rendered
	open        atomic.Int64  // sockets and streams

	writeTimeout time.Duration // time limit for a reader to accept a piece of an answer

	ctx    context.Context // ends with the server
	cancel context.CancelFunc
	calls  sync.WaitGroup // sockets, streams and the goroutines that watch rooms

	mutex     sync.RWMutex
	entries   map[string]*roomEntry // a nil entry reserves the name of a room that is being made
	nameLocks map[string]*nameLock  // by room name; see lockName
	own       *room.Workers         // started for the first room that needs them
	closed    bool

	opening atomic.Bool
}

// closeTimeout is the time that Close gives sockets and streams to end by themselves.
const closeTimeout = 300 * time.Millisecond

// maxUploads limits simultaneous uploads, and maxDrawings limits timelines rendered at once.
const maxUploads, maxDrawings = 4, 4

// New returns a server without rooms. It replaces each 0 in o.Limits by its default. The caller must call Close.
func New(o Options) *Server {
	o.Limits.setDefaults()
	s := &Server{
		options: o, mux: http.NewServeMux(), uploads: make(chan struct{}, maxUploads), drawing: make(chan struct{}, maxDrawings),
		writeTimeout: writeTimeout, entries: map[string]*roomEntry{}, nameLocks: map[string]*nameLock{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.opening.Store(o.Opening)
	s.metrics = newMetrics(s)
	for _, r := range routes {
		s.mux.Handle(r.pattern, s.route(&r))
	}
	s.mux.HandleFunc("/", s.unmatched)
	return s
}

// ServeHTTP answers an HTTP request and counts its route, status and time in the metrics. A client that does not accept
// a piece of the answer within 10 s is dropped and counted as slow. A panic of a handler becomes a log line and, if no
// answer has begun, a 500. But ServeHTTP passes on a panic with http.ErrAbortHandler, which aborts the connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	t := &trackingWriter{ResponseWriter: w, out: http.NewResponseController(w), timeout: s.writeTimeout}
	defer func() {
		p := recover()
		if t.slow && !t.isStream {
			s.metrics.countSlow("answers")
		}
		if p == http.ErrAbortHandler {
			s.metrics.countCall(r.Pattern, t.status, time.Since(began))
			panic(p)
		}
		if p != nil {
			s.logLine("internal error in a call of " + r.Pattern + ": this is a fault of the program")
			if t.status == 0 {
				problemjson.New(http.StatusInternalServerError, "internal error of the server; the call itself may be correct").Write(t)
			}
		}
		s.metrics.countCall(r.Pattern, t.status, time.Since(began))
	}()
	s.mux.ServeHTTP(t, r)
}

// allow returns nil if the caller in ctx has a role in the room called name. Otherwise it returns an error with an HTTP
// status. Public is always allowed. A role set by Trust decides first, then Options.Allow. If neither is set,
// everything is allowed.
func (s *Server) allow(ctx context.Context, role Role, name string) error {
	if role == Public {
		return nil
	}
	if is, err := trusted(ctx, role); is || s.options.Allow == nil {
		return err
	}
	return s.options.Allow(ctx, role, name)
}

// count counts n requests of the caller in ctx against the rate limit, through Options.CountRequests. If the limit is
// exceeded, it returns an error with an HTTP status. If n is 0 or less, or the server has no rate limit, count has no
// effect.
func (s *Server) count(ctx context.Context, n int) error {
	if s.options.CountRequests == nil || n <= 0 {
		return nil
	}
	return s.options.CountRequests(ctx, n)
}

// logLine passes a line for the operator to Options.Log, if that is set.
func (s *Server) logLine(line string) {
	if s.options.Log != nil {
		s.options.Log(line)
	}
}

// Close ends the server and returns when all its rooms, sockets and streams have ended. First it fades out all rooms
// over the time fade. Then sockets and streams have 300 ms to end by themselves, before Close ends them. Last it closes
// the server's own workers. From the beginning of Close, the server rejects new rooms, sockets and streams.
func (s *Server) Close(fade time.Duration) {
	s.mutex.Lock()
	s.closed = true
	all := s.entries
	s.entries = map[string]*roomEntry{}
	own := s.own
	s.mutex.Unlock()
	var ends sync.WaitGroup
	for _, h := range all {
		if h != nil {
			ends.Go(func() { _ = h.room.Close(fade) }) // an error of a closing device needs no handling
		}
	}
	ends.Wait()
	over := make(chan struct{})
	go func() {
		s.calls.Wait()
		close(over)
	}()
	select {
	case <-over: // all clients have received the end
	case <-time.After(closeTimeout):
	}
	s.cancel()
	<-over
	if own != nil {
		own.Close()
	}
}
