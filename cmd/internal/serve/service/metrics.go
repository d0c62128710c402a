package service

import (
	"bytes"
	"cmp"
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

// add adds the counts of one room to s. st has the statistics of the room's mixer. slow is the number of listeners that
// the room has dropped because they were too slow.
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

// newMetrics returns the metrics of the server s. Counters whose labels are known in advance are created at once, with
// the value 0. newMetrics also switches on the HELP and TYPE lines of the metrics library, for the whole process.
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

// counter returns the counter with this name and these labels, and creates it if it is missing. labels alternates
// between the name of a label and its value.
func (m *metrics) counter(name string, labels ...string) *victoria.Counter {
	return m.set.GetOrCreateCounter(metricName(name, labels...))
}

// sockets returns the gauge for the number of open WebSockets of a kind, "orders" or "audio". It creates the gauge if
// it is missing.
func (m *metrics) sockets(kind string) *victoria.Gauge {
	return m.set.GetOrCreateGauge(metricName("voicepool_websockets", "kind", kind), nil)
}

// durations are the upper bounds of the buckets of answer times, in seconds.
var durations = []float64{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3}

// metricName returns a metric with its labels in the text format of Prometheus, such as name{kind="audio"}. labels
// alternates between the name of a label and its value. Without labels, the result is name.
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

// countCall counts an answered HTTP request by its route and status. It also adds duration, the time to answer, to the
// histogram of the route, except for streams and WebSockets. pattern is the mux pattern of the request, such as "GET
// /healthz". A pattern without a method counts as the route "/". A status of 0 means that no status was written, and
// counts as 101.
func (m *metrics) countCall(pattern string, status int, duration time.Duration) {
	_, route, _ := strings.Cut(pattern, " ")
	route = cmp.Or(route, "/")
	status = cmp.Or(status, http.StatusSwitchingProtocols)
	m.counter("voicepool_http_requests_total", "code", strconv.Itoa(status), "route", route).Inc()
	switch route[strings.LastIndexByte(route, '/')+1:] {
	case "events", "audio.wav", "audio", "ws":
	default:
		m.set.GetOrCreatePrometheusHistogramExt(metricName("voicepool_http_request_duration_seconds", "route", route), durations).Update(duration.Seconds())
	}
}

// countDropped counts a reader that was dropped because it was too slow. kind is its label, as in countSlow. If ctx has
// ended, the client has disconnected or the server is ending, and countDropped has no effect.
func (m *metrics) countDropped(kind string, ctx context.Context) {
	if ctx.Err() == nil {
		m.countSlow(kind)
	}
}

// countSlow counts a reader that was dropped because it was too slow. kind is its label in the metrics: "orders",
// "audio", "events" or "answers".
func (m *metrics) countSlow(kind string) {
	m.counter("voicepool_readers_dropped_total", "kind", kind).Inc()
}

// OSC adds the number of received and the number of dropped OSC messages to the metrics of the server.
func (s *Server) OSC(received, dropped int) {
	s.metrics.counter("voicepool_osc_messages_total", "outcome", "received").Add(received)
	s.metrics.counter("voicepool_osc_messages_total", "outcome", "dropped").Add(dropped)
}

// CountStoreFailure counts in the metrics that a room or a sound could not be stored. err is the cause. The reason in
// the metrics is "disk full" or "other".
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

// NATS adds to the metrics how many messages between NATS and the server were passed and how many were dropped. kind is
// Orders, Replies or Events.
func (s *Server) NATS(kind string, passed, dropped int) {
	s.metrics.counter("voicepool_nats_messages_total", "kind", kind, "outcome", "passed").Add(passed)
	s.metrics.counter("voicepool_nats_messages_total", "kind", kind, "outcome", "dropped").Add(dropped)
}

// CountWatchErrors adds failed to the number of failed watches in the metrics. A watch observes the nodes and rooms of
// a cluster in NATS.
func (s *Server) CountWatchErrors(failed int) {
	s.metrics.counter("voicepool_nats_watch_errors_total").Add(failed)
}

// scrape answers with all metrics in the text format of Prometheus: metrics of the server, its rooms and the process.
// It always returns nil.
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

// describe adds help texts to all, metrics in the text format of Prometheus, and returns the result. Each HELP line
// gets its text from the table helpTexts. Metrics without a text there are left out, because they are not documented.
// Repeated HELP and TYPE lines are left out, too.
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

// writeRooms writes the metrics of the rooms to w in the text format of Prometheus, added up over all rooms. The
// counters include rooms that have ended. If the workers that mix rooms have been started, writeRooms also writes their
// statistics.
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

// startedWorkers returns the workers that mix the rooms made by calls. These are Options.Workers, or else the server's
// own workers. If the server's own workers have not been started, startedWorkers returns nil.
func (s *Server) startedWorkers() *room.Workers {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if s.options.Workers != nil {
		return s.options.Workers
	}
	return s.own
}
