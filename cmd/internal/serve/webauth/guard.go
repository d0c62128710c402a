// Package webauth controls access to an HTTP server. It checks Host and Origin headers, tokens,
// browser sessions and one-time login links, and limits rates and connections.
//
//	g := webauth.New(webauth.Options{Tokens: tokens, Hosts: []string{"stage.local"}})
//	defer g.Close()
//	server := g.Server(g.Wrap(handler))
//	err := server.Serve(g.Listener(listener))
//	// In the handler:
//	if err := webauth.Allow(r.Context(), room, webauth.Operate); err != nil { ... }
//
// All methods are safe for concurrent use.
package webauth

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"voicepool/cmd/internal/serve/problemjson"
)

// Options are the access rules of a Guard.
type Options struct {
	Tokens   *Tokens  // nil: tokens are not required
	Loopback bool     // the server listens on loopback only
	Secure   bool     // it is served under TLS
	Hosts    []string // host names of the server, with an optional port; its addresses and localhost are always accepted

	// Public returns the role of callers without a token in a room, if the room sets one. Nil: no
	// room sets one.
	Public func(room string) (role Role, some bool)

	Limits Limits
}

// Limits restrict the resources of clients. A field of 0 has the default in parentheses.
type Limits struct {
	Connections int // open at once, in total (4096)
	PerAddress  int // open at once per address, except loopback (512)
	Rate        int // requests and messages per second, in total (20000)
	AddressRate int // per address except loopback, and per token used from such addresses (2000)
	Logins      int // failed logins per minute and address (5)
	Sessions    int // of browsers (1024)
	Refusals    int // refused connections that may receive an answer at once (64)
}

// DefaultConnections and DefaultPerAddress are the defaults of Limits.Connections and Limits.PerAddress.
const (
	DefaultConnections = 4096
	DefaultPerAddress  = 512
)

// withDefaults returns a copy of l. Each field of 0 or less is replaced by its default.
func (l Limits) withDefaults() Limits {
	for at, value := range map[*int]int{
		&l.Connections: DefaultConnections, &l.PerAddress: DefaultPerAddress, &l.Rate: 20_000, &l.AddressRate: 2000, &l.Logins: 5, &l.Sessions: 1024, &l.Refusals: 64,
	} {
		if *at <= 0 {
			*at = value
		}
	}
	return l
}

// Counts are the rejections of a Guard since it was made, and its current sessions and connections.
type Counts struct {
	Hosts, Origins, Tokens int64 // wrong Host headers, foreign Origins, wrong tokens or link keys
	Rates, Connections     int64 // too many requests, too many connections in total
	Crowded                int64 // too many connections per address
	Files                  int64 // failed accepts because the process has too many open files
	Sessions, Open         int   // current browser sessions and connections
}

// Guard authenticates and limits the clients of an HTTP server.
type Guard struct {
	limits Limits
	rules  atomic.Pointer[rules]

	ended context.Context // ends all credentials
	end   context.CancelFunc

	sessions    sessions
	salt        []byte // salt of the token ids
	storing     sync.Mutex
	storeText   func(text []byte)
	rates       rates
	failures    failures
	connections connections

	counts struct{ hosts, origins, tokens, rates, connections, crowded, files atomic.Int64 }
	change sync.Mutex // serializes changes of rules
}

// rules are the part of a Guard that Change replaces.
type rules struct {
	Options
	hosts          map[string]bool // lower case, without a port
	openCredential *credential     // the credential of links made without a token; nil if tokens are required
}

// New returns a Guard with the options o. The caller must Close it.
func New(o Options) *Guard {
	g := &Guard{limits: o.Limits.withDefaults()}
	g.ended, g.end = context.WithCancel(context.Background())
	g.sessions.max = g.limits.Sessions
	g.rates.init(g.limits)
	g.failures.limit = g.limits.Logins
	g.connections.limits = g.limits
	g.salt = newSalt()
	g.Change(o)
	return g
}

// Change replaces the options of the Guard by o, except the limits. If o lacks an old token or changes its permissions,
// the token's sessions, links and long requests end at once. If o requires tokens and the old options did not, all
// sessions and links made without tokens end, too. After Restore, the remaining sessions are stored.
func (g *Guard) Change(o Options) {
	g.change.Lock()
	defer g.change.Unlock()
	old := g.rules.Load()
	o.Hosts = slices.Clone(o.Hosts)
	if o.Tokens != nil {
		o.Tokens = o.Tokens.activate(g.ended, g.salt, old)
	}
	now := &rules{Options: o, hosts: hostNames(o.Hosts)}
	switch {
	case o.Tokens != nil:
	case old != nil && old.openCredential != nil:
		now.openCredential = old.openCredential
	default:
		now.openCredential = &credential{}
		now.openCredential.ended, now.openCredential.end = context.WithCancel(g.ended)
	}
	g.rules.Store(now)
	if old == nil {
		return
	}
	if old.openCredential != nil && now.openCredential == nil {
		old.openCredential.end()
	}
	if old.Tokens != nil {
		for _, t := range old.Tokens.list {
			if o.Tokens == nil || !slices.ContainsFunc(o.Tokens.list, func(n *token) bool { return n.credential == t.credential }) {
				t.credential.end()
			}
		}
	}
	g.storeSessions()
}

// Close ends all credentials, which are tokens, sessions and links, and their long requests. Sessions that were stored
// by the function given to Restore stay stored.
func (g *Guard) Close() {
	g.storing.Lock()
	defer g.storing.Unlock()
	g.end()
}

// Counts returns the numbers of rejections since New, and of the current sessions and connections.
func (g *Guard) Counts() Counts {
	return Counts{
		Hosts: g.counts.hosts.Load(), Origins: g.counts.origins.Load(), Tokens: g.counts.tokens.Load(),
		Rates: g.counts.rates.Load(), Connections: g.counts.connections.Load(), Crowded: g.counts.crowded.Load(), Files: g.counts.files.Load(),
		Sessions: g.sessions.count(), Open: g.connections.count(),
	}
}

// Wrap returns a handler that checks each request and passes it to next. A request with a wrong host, origin or token,
// or above the rate limit, gets an error instead, which browsers see as a page. The handler does not check roles. The
// context of a request identifies the caller, so that next can call RoleIn, Allow and CountRequests.
//
// The handler itself answers /login, /login.css, /logout and /v1/login-links. It also limits the time for request
// bodies, and sets security headers.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", g.loginPage)
	mux.HandleFunc("POST /login", g.login)
	mux.HandleFunc("GET /login.css", loginStyle)
	mux.HandleFunc("POST /logout", g.logout)
	mux.HandleFunc("POST /v1/login-links", g.makeLink)
	mux.Handle("/", next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setSecurityHeaders(w.Header(), r.TLS != nil)
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
		case v.credential == nil && g.rules.Load().Tokens != nil:
			w.Header().Set("WWW-Authenticate", scheme) // the answer may be different with a token
		case v.session != nil:
			w.Header().Set(sessionHeader, v.session.credential.role.String()) // scripts cannot read the cookie
		}
		mux.ServeHTTP(w, limitBody(w, r.WithContext(ctx)))
	})
}

// check checks the request r: its host, its token or cookie, its origin and its rate. It returns a context that
// identifies the caller. For a GET request with a credential, which may last long, the context ends with the
// credential. The caller must call the CancelFunc after the request. If r is refused, check counts that, and only the
// *problemjson.Problem is not nil.
func (g *Guard) check(r *http.Request) (context.Context, context.CancelFunc, *problemjson.Problem) {
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
	if err := v.countRequests(1); err != nil {
		return nil, nil, err
	}
	ctx := context.WithValue(r.Context(), visitorKey{}, v)
	if v.credential == nil || !isLong(r) {
		return ctx, func() {}, nil
	}
	// A long response, such as an event stream or a WebSocket, ends with the credential.
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(v.credential.ended, cancel)
	return ctx, func() { stop(); cancel() }, nil
}

// isLong reports whether the response to r may last long, like an event stream or a WebSocket. It returns true for
// every GET request.
func isLong(r *http.Request) bool { return r.Method == http.MethodGet }
