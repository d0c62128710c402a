// Package guard decides who may do what on a server of HTTP. It checks Host and Origin, knows
// tokens, sessions of browsers and links of one use, and bounds rates and connections.
//
//	g := guard.New(guard.Options{Tokens: tokens, Hosts: []string{"stage.local"}})
//	defer g.Close()
//	server := g.Server(g.Wrap(handler))
//	err := server.Serve(g.Listener(listener))
//
//	// In the handler:
//	if err := guard.Allow(r.Context(), room, guard.Operate); err != nil { ... }
//
// All methods may be called by any goroutine.
package guard

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
)

// Options say whom a Guard lets in.
type Options struct {
	Tokens   *Tokens  // nil: there are none, and nobody needs one
	Loopback bool     // the server listens on loopback alone
	Secure   bool     // it is served under TLS
	Hosts    []string // names that it is reached by, besides its addresses and localhost; a port may follow

	// Public returns the role of those without a token in a room, where it has one of its own. nil:
	// no room has.
	Public func(room string) (role Role, some bool)

	Limits Limits
}

// Limits bound what clients take; 0 is the default.
type Limits struct {
	Connections int // at once, in all (4096)
	PerAddress  int // at once, of an address that is not loopback (512)
	Rate        int // requests and messages a second, in all (20000)
	AddressRate int // of an address that is not loopback, and of a token used from there (2000)
	Logins      int // that fail, a minute and address (5)
	Sessions    int // of browsers (1024)
	Refusals    int // connections that are told at once why they are refused (64)
}

// MostConnections and MostPerAddress are the defaults of Limits.Connections and Limits.PerAddress.
const (
	MostConnections = 4096
	MostPerAddress  = 512
)

func (l Limits) complete() Limits {
	for at, value := range map[*int]int{
		&l.Connections: MostConnections, &l.PerAddress: MostPerAddress, &l.Rate: 20_000, &l.AddressRate: 2000, &l.Logins: 5, &l.Sessions: 1024, &l.Refusals: 64,
	} {
		if *at <= 0 {
			*at = value
		}
	}
	return l
}

// Counts are what a Guard has refused since it began, and what it holds.
type Counts struct {
	Hosts, Origins, Tokens int64 // a wrong Host, a foreign Origin, a wrong token or key
	Rates, Connections     int64 // too many requests, too many connections in all
	Crowded                int64 // too many connections of one address
	Files                  int64 // connections that waited since the process had no file left
	Sessions, Open         int   // of browsers, and connections, now
}

// Guard lets in and keeps out.
type Guard struct {
	limits Limits
	rules  atomic.Pointer[rules]

	ended context.Context // ends all badges
	end   context.CancelFunc

	sessions sessions
	salt     []byte // of the ids of tokens
	keeping  sync.Mutex
	keepText func(text []byte)
	rates    rates
	failures failures
	crowd    crowd

	counts struct{ hosts, origins, tokens, rates, connections, crowded, files atomic.Int64 }
	change sync.Mutex // of rules
}

// rules are what Change changes.
type rules struct {
	Options
	hosts map[string]bool // lower case, without a port
	open  *badge          // makes the links of callers without a token; nil: there are tokens
}

// New returns a Guard.
func New(o Options) *Guard {
	g := &Guard{limits: o.Limits.complete()}
	g.ended, g.end = context.WithCancel(context.Background())
	g.sessions.most = g.limits.Sessions
	g.rates.init(g.limits)
	g.failures.least = g.limits.Logins
	g.crowd.limits = g.limits
	g.salt = newSalt()
	g.Change(o)
	return g
}

// Change has the Guard go by other options. Sessions of tokens that are gone, or that may do something
// else now, end at once, and so do requests under way in their name. If the first tokens appear, the sessions
// and links made without tokens end too. Limits stay.
func (g *Guard) Change(o Options) {
	g.change.Lock()
	defer g.change.Unlock()
	old := g.rules.Load()
	o.Hosts = slices.Clone(o.Hosts)
	if o.Tokens != nil {
		o.Tokens = o.Tokens.issue(g.ended, g.salt, old)
	}
	now := &rules{Options: o, hosts: hostNames(o.Hosts)}
	switch {
	case o.Tokens != nil:
	case old != nil && old.open != nil:
		now.open = old.open
	default:
		now.open = &badge{}
		now.open.ended, now.open.end = context.WithCancel(g.ended)
	}
	g.rules.Store(now)
	if old == nil {
		return
	}
	if old.open != nil && now.open == nil {
		old.open.end()
	}
	if old.Tokens != nil {
		for _, t := range old.Tokens.list {
			if o.Tokens == nil || !slices.ContainsFunc(o.Tokens.list, func(n *token) bool { return n.badge == t.badge }) {
				t.badge.end()
			}
		}
	}
	g.keep()
}

// Close ends all sessions and all requests under way in their name.
func (g *Guard) Close() {
	g.keeping.Lock()
	defer g.keeping.Unlock()
	g.end()
}

// Counts returns what has been refused.
func (g *Guard) Counts() Counts {
	return Counts{
		Hosts: g.counts.hosts.Load(), Origins: g.counts.origins.Load(), Tokens: g.counts.tokens.Load(),
		Rates: g.counts.rates.Load(), Connections: g.counts.connections.Load(), Crowded: g.counts.crowded.Load(), Files: g.counts.files.Load(),
		Sessions: g.sessions.count(), Open: g.crowd.count(),
	}
}

// Wrap returns a handler that lets through to next what may pass. It answers /login, /logout and
// /v1/login-links itself.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", g.loginPage)
	mux.HandleFunc("POST /login", g.login)
	mux.HandleFunc("GET /login.css", loginStyle)
	mux.HandleFunc("POST /logout", g.logout)
	mux.HandleFunc("POST /v1/login-links", g.makeLink)
	mux.Handle("/", next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header(), r.TLS != nil)
		if showsPage(r) {
			page := &pageWriter{ResponseWriter: w, request: r}
			defer page.finish()
			w = page
		}
		ctx, cancel, err := g.check(r)
		if err != nil {
			Write(w, err)
			return
		}
		defer cancel()
		switch v := ctx.Value(visitorKey{}).(*visitor); {
		case v.badge == nil && g.rules.Load().Tokens != nil:
			w.Header().Set("WWW-Authenticate", scheme) // with a token it may be answered otherwise
		case v.session != nil:
			w.Header().Set(sessionHeader, v.session.badge.role.String()) // scripts cannot read the cookie
		}
		mux.ServeHTTP(w, bounded(w, r.WithContext(ctx)))
	})
}

// check returns the context of a request that may pass, which names who asks.
func (g *Guard) check(r *http.Request) (context.Context, context.CancelFunc, *Denied) {
	rules := g.rules.Load()
	if err := rules.host(r); err != nil {
		g.counts.hosts.Add(1)
		return nil, nil, err
	}
	v := &visitor{guard: g, addr: addressOf(r.RemoteAddr)}
	if err := g.identify(v, rules, r); err != nil {
		return nil, nil, err
	}
	if err := rules.origin(r, v.session != nil); err != nil {
		g.counts.origins.Add(1)
		return nil, nil, err
	}
	if err := v.take(1); err != nil {
		return nil, nil, err
	}
	ctx := context.WithValue(r.Context(), visitorKey{}, v)
	if v.badge == nil || !lasting(r) {
		return ctx, func() {}, nil
	}
	// What may last long, as an event stream or a WebSocket, ends with the badge.
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(v.badge.ended, cancel)
	return ctx, func() { stop(); cancel() }, nil
}

// lasting reports whether an answer may go on for long.
func lasting(r *http.Request) bool { return r.Method == http.MethodGet }
