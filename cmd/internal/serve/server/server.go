// Package server runs a server of rooms. It opens the rooms of the configuration, stores their state
// in a folder, reloads the configuration, feeds the service manager's watchdog, and shuts down in
// order.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
	"voicepool/cmd/internal/serve/systemd"
	"voicepool/cmd/internal/serve/webauth"
	"voicepool/sounds/library"
)

// Options hold the settings of the command line.
type Options struct {
	Sheet  string // of the room main; empty: the configuration, or the built-in sounds
	Bank   []byte // the text of the room main if Sheet and Config are empty; nil: all built-in sounds
	Config string // path of a file; optional

	Listen, OSC      string // empty: as in the configuration
	Device           string // of the room main with a sheet
	Voices           int    // of the room main; 0: as in the sheet
	State, TokenFile string
	Hosts            []string
	Cert, Key        string

	Cluster ClusterFlags // with a NATS URL, rooms are placed on a cluster; otherwise they belong to this server

	Limits  library.Limits
	Log     func(string) // receives log lines; safe for concurrent use
	Show    func(string) // receives requested output, such as the URL of the board
	Link    func(string) // receives the login link of an admin, which must not reach a log; optional
	Hangups <-chan struct{}

	listener net.Listener // replaces Listen in tests; nil: listen there
}

// Check returns an error if a flag, or a combination of flags, is invalid. It opens no files.
func (o *Options) Check() error {
	for _, host := range o.Hosts {
		if err := checkHost(host); err != nil {
			return fmt.Errorf("--host: %w", err)
		}
	}
	for _, f := range []struct{ flag, address string }{{"listen", o.Listen}, {"osc", o.OSC}} {
		if f.address != "" {
			if err := checkAddress(f.address); err != nil {
				return fmt.Errorf("--%s: %w", f.flag, err)
			}
		}
	}
	switch {
	case (o.Cert == "") != (o.Key == ""):
		return errors.New("--cert and --key need each other")
	case o.Sheet == "-":
		return errors.New("SIGHUP reloads a room, so its sheet must be a file, not standard input")
	}
	return o.Cluster.check(o)
}

const (
	fade            = 300 * time.Millisecond // the fade-out of the server, or of a room that ends
	shutdownTimeout = 300 * time.Millisecond // time for running answers at the end
	saveInterval    = 900 * time.Millisecond // interval between writes of the state
	defaultAddress  = "127.0.0.1:7700"
)

// server is a running server.
type server struct {
	Options
	config        *Config
	guard         *webauth.Guard
	public        atomic.Pointer[map[string]Public]
	cert          *certificate // nil: no TLS
	addr          net.Addr
	store         *store // nil: no state is stored
	workers       *room.Workers
	clusterNode   atomic.Pointer[clusterNode] // nil: no cluster
	service       *service.Server
	remotes       remotes
	connectionLog connectionLog

	scratch     string // for sounds of rooms without a store
	freeScratch func() // nil before scratch is made
	saver       saver
	configRooms registry
	heartbeat   heartbeat
}

// InputError is an error in the user's input: the configuration, the tokens or a sheet.
type InputError struct{ error }

// Unwrap returns the wrapped error.
func (f InputError) Unwrap() error { return f.error }

// Run serves rooms with the settings o until ctx ends or the HTTP server fails. It then shuts down, within about a
// second, and returns nil. It logs a failure of the HTTP server. If ctx ends while the rooms are being opened, Run also
// returns nil. A fault in flags, configuration, tokens or sheets at the start is an InputError. Other errors of the
// start are returned unchanged.
func Run(ctx context.Context, o Options) (err error) {
	if err := o.Check(); err != nil {
		return InputError{err}
	}
	s := &server{Options: o}
	if s.config, err = s.read(); err != nil {
		return InputError{err}
	}
	c := s.config
	tokens, err := s.tokens(c)
	if err != nil {
		return InputError{err}
	}
	if c.Cert != "" {
		s.cert = &certificate{cert: c.Cert, key: c.Key}
		if err := s.cert.load(); err != nil {
			return InputError{err}
		}
	}
	l := o.listener
	if l == nil {
		if l, err = listen(ctx, c.Listen); err != nil {
			return err
		}
	}
	s.addr = l.Addr()
	rules := s.guardOptions(c, tokens)
	most, used := files()
	rules.Limits = limitConnections(rules.Limits, most, used)
	s.connectionLog = connectionLog{connections: cmp.Or(rules.Limits.Connections, webauth.DefaultConnections), perAddress: cmp.Or(rules.Limits.PerAddress, webauth.DefaultPerAddress), files: most}
	if s.connectionLog.byFiles = s.connectionLog.connections < cmp.Or(c.Limits.Connections, webauth.DefaultConnections); s.connectionLog.byFiles {
		s.Log(fmt.Sprintf("the process may open %d files (ulimit -n), so the server accepts at most %d connections", most, rules.Limits.Connections))
	}
	s.guard = webauth.New(rules)
	defer s.guard.Close()
	if err = s.prepare(); err == nil {
		err = s.store.openSessions(s.guard)
	}
	if err != nil {
		l.Close()
		s.end(nil)
		return err
	}
	web := s.guard.Server(s.guard.Wrap(s.service)) // answers 503 while the rooms are being opened
	served := make(chan error, 1)
	go func() { served <- s.serve(web, l) }()
	if err := s.open(ctx); err != nil {
		s.end(web)
		if ctx.Err() != nil {
			return nil // the server was told to end while it started
		}
		return err
	}
	if s.store != nil {
		s.startSaver()
	}
	stopWatchdog := s.startWatchdog()
	defer stopWatchdog()
	s.showAddress(tokens != nil)
	systemd.Ready(s.status())
	s.waitForEnd(ctx, served)
	systemd.Stopping()
	return s.end(web)
}

// read reads the configuration file, if there is one, and returns it with the flags applied. Flags override the file,
// and the hosts of both are joined. A sheet of the command line becomes the room main. Without a sheet, a file and
// NATS, the room main plays Options.Bank or the embedded sounds. If the file has a room main, too, that is an error. Of
// the addresses, read checks only Listen. It does not change s.
func (s *server) read() (*Config, error) {
	c := &Config{}
	if s.Options.Config != "" {
		var err error
		if c, err = LoadConfig(s.Options.Config); err != nil {
			return nil, err
		}
	}
	c.Listen = cmp.Or(s.Listen, c.Listen, defaultAddress)
	c.OSC, c.Tokens, c.State = cmp.Or(s.OSC, c.OSC), cmp.Or(s.TokenFile, c.Tokens), cmp.Or(s.State, c.State)
	c.Cert, c.Key = cmp.Or(s.Cert, c.Cert), cmp.Or(s.Key, c.Key)
	c.Hosts = append(slices.Clone(s.Hosts), c.Hosts...)
	if err := checkAddress(c.Listen); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if s.Cluster.NATS != "" {
		if err := c.checkCluster(); err != nil {
			return nil, err
		}
	}
	if s.Sheet == "" && (s.Options.Config != "" || s.Cluster.NATS != "") {
		return c, nil
	}
	if slices.ContainsFunc(c.Rooms, func(r RoomConfig) bool { return r.Name == mainRoom }) {
		return nil, fmt.Errorf("%s has a room main, too: leave the sheet of the command line out, or rename the room", s.Options.Config)
	}
	main := RoomConfig{Name: mainRoom, Sheet: s.Sheet, Device: cmp.Or(s.Device, "auto"), Voices: s.Voices}
	if s.Cluster.NATS != "" {
		main.Device = "" // the device of the node
	}
	c.Rooms = append(c.Rooms, main)
	return c, nil
}

// tokens reads the token file of the configuration c. If c has no token file, both results are nil. It logs the
// warnings about the file, even if it returns an error.
func (s *server) tokens(c *Config) (*webauth.Tokens, error) {
	if c.Tokens == "" {
		return nil, nil
	}
	t, notes, err := webauth.LoadTokens(c.Tokens)
	for _, n := range notes {
		s.Log(n)
	}
	return t, err
}

// guardOptions returns the options of the guard, which checks access, for the configuration c. tokens may be nil. If
// other machines can reach the server, the host names of this machine are accepted, too. So is a host name in the
// listen address. guardOptions also stores the public roles of the rooms of c in s.public. The guard uses them at once.
func (s *server) guardOptions(c *Config, tokens *webauth.Tokens) webauth.Options {
	public := map[string]Public{}
	for _, r := range c.Rooms {
		public[r.Name] = r.Public
	}
	s.public.Store(&public)
	hosts := slices.Clone(c.Hosts)
	if !loopback(s.addr) {
		hosts = append(hosts, ownNames()...)
	}
	if host, _, err := net.SplitHostPort(c.Listen); err == nil && host != "" && net.ParseIP(host) == nil {
		hosts = append(hosts, host)
	}
	return webauth.Options{
		Tokens: tokens, Loopback: loopback(s.addr), Secure: s.cert != nil, Hosts: hosts, Limits: c.Limits,
		Public: func(room string) (webauth.Role, bool) { return (*s.public.Load())[room].role() },
	}
}

// serve runs the HTTP server web on connections from l, which pass the limits of the guard. With a certificate it
// serves HTTPS. It returns nil after web was closed, otherwise the error that ended web.
func (s *server) serve(web *http.Server, l net.Listener) (err error) {
	l = s.guard.Listener(l)
	if s.cert != nil {
		web.TLSConfig = s.cert.config()
		err = web.ServeTLS(l, "", "")
	} else {
		err = web.Serve(l)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// showAddress shows the URL of the board, the web page of the server. tokens reports whether the server has a token
// file. If it has one, showAddress also passes a login link for an administrator to Options.Link, if that is set.
// Without a token file it calls warnNoTokens.
func (s *server) showAddress(tokens bool) {
	board := boardAddress(s.addr, s.cert != nil)
	switch {
	case tokens && s.Link != nil:
		s.Link("log in once, within an hour: " + strings.TrimSuffix(board, "/") + s.guard.Invite(webauth.Admin, ""))
	case !tokens:
		s.warnNoTokens()
	}
	s.Show("the board: " + board)
}

// warnNoTokens logs a warning if other machines can reach the server, because every client may then control the rooms.
// Call it only if the server has no token file.
func (s *server) warnNoTokens() {
	if !loopback(s.addr) {
		s.Log("WARNING: no token file: every client that reaches " + s.addr.String() + " may control the rooms; set --token-file")
	}
}

// status returns one line for the service manager. It has the number of rooms and the address of the server.
func (s *server) status() string {
	return fmt.Sprintf("serving %d rooms at %s", len(s.service.Rooms()), s.addr)
}

// waitForEnd waits until ctx ends or the HTTP server has ended. served receives the error of the HTTP server, which
// waitForEnd logs. During the wait, each value from s.Hangups reloads the configuration. Every 900 ms it updates
// message counts in the metrics and logs new problems with connections and OSC packets.
func (s *server) waitForEnd(ctx context.Context, served <-chan error) {
	count := time.NewTicker(saveInterval)
	defer count.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-served:
			if err != nil {
				s.Log(err.Error())
			}
			return
		case <-s.Hangups:
			systemd.Reloading()
			s.reload(ctx)
			systemd.Ready(s.status())
		case <-count.C:
			s.remotes.count(s.service)
			if f := s.clusterNode.Load(); f != nil {
				f.count(s.service)
			}
			s.remotes.logMalformed(time.Now(), s.Log)
			s.connectionLog.logNew(time.Now(), s.guard.Counts(), s.Log)
		}
	}
}

// startWatchdog starts a goroutine that feeds the service manager's watchdog while the rooms make progress. It does so
// four times in each interval of the watchdog. The caller must call stop exactly once, which ends the goroutine.
// Without a watchdog, startWatchdog starts no goroutine.
func (s *server) startWatchdog() (stop func()) {
	done := make(chan struct{})
	if interval := systemd.Watchdog(); interval > 0 {
		go func() {
			ticker := time.NewTicker(interval / 4)
			defer ticker.Stop()
			for {
				select {
				case <-done:
					return
				case <-ticker.C:
					if s.heartbeat.progressed(s.service.Rooms()) {
						systemd.FeedWatchdog()
					}
				}
			}
		}()
	}
	return func() { close(done) }
}

// waitForProgress waits until done is closed and returns true. But if the work hangs, it returns false: steps, the
// number of finished parts of the work, has then not changed during the time patience. So hundreds of rooms get enough
// time, while a hanging room does not block the exit.
func waitForProgress(done <-chan struct{}, steps *atomic.Int64, patience time.Duration) bool {
	for {
		before := steps.Load()
		select {
		case <-done:
			return true
		case <-time.After(patience):
			if steps.Load() == before {
				return false
			}
		}
	}
}

// end shuts the server down. It stores the final states of the rooms, fades the rooms out, and leaves the cluster. It
// also closes web, the OSC server, the workers and the store, and removes the temporary folder. web may be nil if HTTP
// was not served yet. With few rooms this takes less than a second. If work hangs, end logs that and returns without
// it. It always returns nil.
func (s *server) end(web *http.Server) error {
	done := make(chan struct{})
	var steps atomic.Int64
	go func() {
		defer close(done)
		var all sync.WaitGroup
		states := s.finalStates()
		if s.service != nil {
			for _, r := range s.service.Rooms() {
				go func() {
					<-r.Done()
					steps.Add(1)
				}()
			}
		}
		all.Go(func() { s.saveFinal(states, &steps) })
		if s.service != nil {
			all.Go(func() {
				if f := s.clusterNode.Load(); f != nil {
					f.close(fade)
				}
				s.service.Close(fade)
			})
		}
		all.Go(func() { s.remotes.close() })
		if web != nil {
			ctx, cancel := context.WithTimeout(context.Background(), fade+shutdownTimeout)
			defer cancel()
			all.Go(func() {
				if web.Shutdown(ctx) != nil {
					web.Close()
				}
			})
		}
		all.Wait()
		if s.workers != nil {
			s.workers.Close()
		}
	}()
	if !waitForProgress(done, &steps, fade+shutdownTimeout+200*time.Millisecond) {
		s.Log("an operation does not end; the server stops without it")
	}
	s.cleanUp()
	return nil
}
