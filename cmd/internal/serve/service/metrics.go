package service

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	victoria "github.com/VictoriaMetrics/metrics"

	"voicepool/cmd/internal/serve/room"
	"voicepool/mixer"
)

// metrics counts the calls and messages of a server. The counts of rooms are read at each scrape.
type metrics struct {
	server *Server
	set    *victoria.Set
	ended  sums // of ended rooms; guarded by the server's mutex
}

// sums are the counts of several rooms, added up.
type sums struct {
	started, rejected, limited, coalesced, stolen int64
	late, underruns, lost, slow                   int64
}

// add adds the counts of a room to s: its mixer statistics st, and slow, the number of its listeners that were dropped
// for being slow.
func (s *sums) add(st *mixer.Stats, slow int64) {
	s.started += st.Started
	s.rejected += st.Rejected
	s.limited += st.Limited
	s.coalesced += st.Coalesced
	s.stolen += st.Stolen
	s.late += st.Late
	s.underruns += st.Underruns
	s.lost += st.EventsLost
	s.slow += slow
}

// newMetrics returns the metrics of s. Counters with fixed labels exist from the beginning, with 0. It also switches
// on the HELP and TYPE lines of the metrics library, for the whole process.
func newMetrics(s *Server) *metrics {
	victoria.ExposeMetadata(true)
	m := &metrics{server: s, set: victoria.NewSet()}
	for _, reason := range []string{"disk full", "other"} {
		m.counter("voicepool_store_failures_total", "reason", reason)
	}
	for _, kind := range []string{"orders", "audio", "events", "answers"} {
		m.counter("voicepool_readers_dropped_total", "kind", kind)
	}
	for _, kind := range []string{"orders", "audio"} {
		m.sockets(kind)
	}
	for _, outcome := range []string{"received", "dropped"} {
		m.counter("voicepool_osc_messages_total", "outcome", outcome)
	}
	for _, kind := range []string{Orders, Replies, Events} {
		for _, outcome := range []string{"passed", "dropped"} {
			m.counter("voicepool_nats_messages_total", "kind", kind, "outcome", outcome)
		}
	}
	m.counter("voicepool_nats_watch_errors_total")
	return m
}

// counter returns the counter called name with labels, pairs of a label and its value. It creates a missing counter.
func (m *metrics) counter(name string, labels ...string) *victoria.Counter {
	return m.set.GetOrCreateCounter(metricName(name, labels...))
}

// sockets returns the gauge that counts the open WebSockets of kind, "orders" or "audio". It creates a missing gauge.
func (m *metrics) sockets(kind string) *victoria.Gauge {
	return m.set.GetOrCreateGauge(metricName("voicepool_websockets", "kind", kind), nil)
}

// durations are the upper bounds of the buckets of answer times, in seconds.
var durations = []float64{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3}

// metricName returns a metric's name with its labels in the text format of Prometheus, such as name{kind="audio"}.
// labels are pairs of a label and its value; without labels, only the name.
func metricName(name string, labels ...string) string {
	if len(labels) == 0 {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(labels); i += 2 {
		separator := byte('{')
		if i > 0 {
			separator = ','
		}
		b.WriteByte(separator)
		b.WriteString(labels[i] + "=" + strconv.Quote(labels[i+1]))
	}
	return name + b.String() + "}"
}

// countCall counts an answered request by its route and status, and adds duration, the time to answer, to the histogram
// of the route. pattern is the pattern of the mux, such as "GET /healthz"; without a method it counts as "/". status 0,
// no answer yet, counts as 101. For the routes of streams and sockets, duration is ignored.
func (m *metrics) countCall(pattern string, status int, duration time.Duration) {
	_, route, _ := strings.Cut(pattern, " ")
	if route == "" {
		route = "/"
	}
	if status == 0 {
		status = http.StatusSwitchingProtocols
	}
	m.counter("voicepool_http_requests_total", "code", strconv.Itoa(status), "route", route).Inc()
	switch route[strings.LastIndexByte(route, '/')+1:] {
	case "events", "audio.wav", "audio", "ws":
	default:
		m.set.GetOrCreatePrometheusHistogramExt(metricName("voicepool_http_request_duration_seconds", "route", route), durations).Update(duration.Seconds())
	}
}

// countDropped counts a reader that was dropped for being slow, with a kind as in countSlow. If ctx has ended, the
// client has disconnected or the server ends, and countDropped has no effect.
func (m *metrics) countDropped(kind string, ctx context.Context) {
	if ctx.Err() == nil {
		m.countSlow(kind)
	}
}

// countSlow counts a reader that was dropped for being slow. kind is "orders", "audio", "events" or "answers".
func (m *metrics) countSlow(kind string) {
	m.counter("voicepool_readers_dropped_total", "kind", kind).Inc()
}

// OSC adds received and dropped, both numbers of OSC messages, to the counters with these outcomes.
func (s *Server) OSC(received, dropped int) {
	s.metrics.counter("voicepool_osc_messages_total", "outcome", "received").Add(received)
	s.metrics.counter("voicepool_osc_messages_total", "outcome", "dropped").Add(dropped)
}

// CountStoreFailure counts a room or a sound that could not be stored because of err, with the reason "disk full" or
// "other".
func (s *Server) CountStoreFailure(err error) {
	reason := "other"
	if isDiskFull(err) {
		reason = "disk full"
	}
	s.metrics.counter("voicepool_store_failures_total", "reason", reason).Inc()
}

// Kinds of NATS messages.
const (
	Orders  = "orders"
	Replies = "replies"
	Events  = "events"
)

// NATS adds the numbers passed and dropped to the counts of NATS messages of kind: Orders, Replies or Events.
func (s *Server) NATS(kind string, passed, dropped int) {
	s.metrics.counter("voicepool_nats_messages_total", "kind", kind, "outcome", "passed").Add(passed)
	s.metrics.counter("voicepool_nats_messages_total", "kind", kind, "outcome", "dropped").Add(dropped)
}

// CountWatchErrors adds failed to the count of failed watches on the nodes and rooms in NATS.
func (s *Server) CountWatchErrors(failed int) {
	s.metrics.counter("voicepool_nats_watch_errors_total").Add(failed)
}

// scrape answers with the metrics of the server, its rooms and the process in the text format of Prometheus. It
// always returns nil.
func (s *Server) scrape(w http.ResponseWriter, r *http.Request) error {
	var all bytes.Buffer
	s.metrics.set.WritePrometheus(&all)
	s.metrics.writeRooms(&all)
	victoria.WriteProcessMetrics(&all)
	victoria.WriteFDMetrics(&all)
	writeProcess(&all)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(describe(all.Bytes())) // an error means that the client has gone
	return nil
}

// describe returns all, metrics in the text format of Prometheus, with the help texts of helpTexts in its HELP lines.
// Metrics without a help text are left out, because they are not documented. So are repeated HELP and TYPE lines.
func describe(all []byte) []byte {
	var out bytes.Buffer
	written, known := map[string]bool{}, false
	for line := range bytes.Lines(all) {
		if rest, ok := bytes.CutPrefix(line, []byte("# HELP ")); ok {
			name := string(bytes.TrimSpace(rest))
			help := helpTexts[name]
			if known = help != ""; known && !written[name] {
				out.WriteString("# HELP " + name + " " + help + "\n")
			}
			continue
		}
		if rest, ok := bytes.CutPrefix(line, []byte("# TYPE ")); ok {
			name, _, _ := bytes.Cut(rest, []byte(" "))
			if written[string(name)] {
				continue
			}
			written[string(name)] = true
		}
		if known {
			out.Write(line)
		}
	}
	return out.Bytes()
}

// writeRooms writes the metrics of the server's rooms to w, summed over all rooms, and the pace of the server's
// workers if they run. The counters of rooms include rooms that have ended.
func (m *metrics) writeRooms(w io.Writer) {
	rooms, sum := m.server.roomsAndSums()
	var playing, pool, listeners, lost, behind int64
	for _, r := range rooms {
		b := r.Summary()
		n, slow := r.Listeners()
		sum.add(&b.Stats, slow)
		playing, pool, listeners = playing+b.Stats.Playing, pool+b.Stats.Voices, listeners+int64(n)
		if b.Lost != "" {
			lost++
		}
		if b.Behind > stalledAfter {
			behind++
		}
	}
	gauge := func(name string, x float64) { victoria.WriteGaugeFloat64(w, name, x) }
	counter := func(name string, x int64, labels ...string) {
		victoria.WriteCounterUint64(w, metricName(name, labels...), uint64(x))
	}
	gauge("voicepool_rooms", float64(len(rooms)))
	gauge("voicepool_voices_playing", float64(playing))
	gauge("voicepool_voices_pool", float64(pool))
	gauge("voicepool_listeners", float64(listeners))
	gauge("voicepool_devices_lost", float64(lost))
	gauge("voicepool_rooms_behind", float64(behind))
	counter("voicepool_starts_total", sum.started, "outcome", "started")
	counter("voicepool_starts_total", sum.rejected, "outcome", "rejected")
	counter("voicepool_starts_total", sum.limited, "outcome", "limited")
	counter("voicepool_starts_total", sum.coalesced, "outcome", "coalesced")
	counter("voicepool_voices_stolen_total", sum.stolen)
	counter("voicepool_commands_late_total", sum.late)
	counter("voicepool_stream_underruns_total", sum.underruns)
	counter("voicepool_events_lost_total", sum.lost)
	counter("voicepool_listeners_dropped_total", sum.slow)
	if workers := m.server.startedWorkers(); workers != nil {
		p := workers.Stats()
		gauge("voicepool_rooms_awake", float64(p.Awake))
		gauge("voicepool_block_longest_seconds", p.Longest.Seconds())
		counter("voicepool_blocks_total", p.Blocks)
		counter("voicepool_blocks_late_total", p.Late)
		counter("voicepool_frames_skipped_total", p.Skipped)
	}
}

// startedWorkers returns the workers that mix the rooms made by calls: Options.Workers, or else the server's own
// workers. It returns nil if the server's own are needed but have not been started.
func (s *Server) startedWorkers() *room.Workers {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if s.options.Workers != nil {
		return s.options.Workers
	}
	return s.own
}
