package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/placement"
)

// keepAll configures the bucket to keep every revision.
func keepAll(t *testing.T, n *NATS) {
	t.Helper()
	if _, err := n.Bucket(t.Context(), cluster.Placement); err != nil {
		t.Fatal(err)
	}
	if err := Patiently(t.Context(), func() error {
		stream, err := n.JetStream().Stream(t.Context(), "KV_"+cluster.Placement)
		if err != nil {
			return err
		}
		config := stream.CachedInfo().Config
		config.MaxMsgsPerSubject = 1_000_000
		_, err = n.JetStream().UpdateStream(t.Context(), config)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// written is a revision of the bucket.
type written struct {
	revision uint64
	key      string
	value    []byte
	deletes  bool
	behind   uint64   // the previous revision of the key that the write expected
	by       []*write // the writes that may have made it: one, unless equal writes were requested
}

// readAll returns all revisions of the bucket in order.
func readAll(t *testing.T, n *NATS) (all []written) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	js := n.JetStream()
	stream, err := js.Stream(ctx, "KV_"+cluster.Placement)
	if err != nil {
		t.Fatal(err)
	}
	last := stream.CachedInfo().State.LastSeq
	if got := stream.CachedInfo().State.Msgs; got != last {
		t.Fatalf("%d of %d revisions are there", got, last)
	}
	consumer, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := consumer.Messages()
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Stop()
	for uint64(len(all)) < last {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			t.Fatalf("after %d of %d revisions: %v", len(all), last, err)
		}
		about, err := m.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		behind, _ := strconv.ParseUint(m.Headers().Get(nats.ExpectedLastSubjSeqHdr), 10, 64)
		all = append(all, written{
			revision: about.Sequence.Stream, key: strings.TrimPrefix(m.Subject(), "$KV."+cluster.Placement+"."), value: m.Data(),
			deletes: m.Headers().Get("KV-Operation") != "", behind: behind,
		})
	}
	return all
}

// match finds the write of each revision. It returns the contradictions: a revision that no node requested, a
// write that succeeded without a revision, and a refused write with one.
func (j *journal) match(all []written) (wrong []string) {
	free := map[string]bool{} // keys whose last revision is a deletion
	for i := range all {
		x := &all[i]
		var no []*write
		for _, w := range j.all {
			if w.key != x.key || w.deletes != x.deletes || !bytes.Equal(w.value, x.value) || w.given != x.behind && !(w.given == 0 && free[x.key]) {
				continue
			}
			switch {
			case w.outcome == unknown && (w.revision == 0 || w.revision == x.revision), w.outcome == done && (w.revision == x.revision || w.deletes):
				x.by = append(x.by, w)
			case w.outcome == refused:
				no = append(no, w)
			}
		}
		if sure := slices.IndexFunc(x.by, func(w *write) bool { return w.outcome == done }); sure >= 0 {
			x.by = x.by[sure : sure+1]
		}
		for _, w := range x.by {
			w.revision = x.revision
		}
		free[x.key] = x.deletes
		switch {
		case len(x.by) == 0 && len(no) > 0:
			wrong = append(wrong, fmt.Sprintf("revision %d of %s by %s was said to be refused", x.revision, x.key, no[0].who))
		case len(x.by) == 0:
			wrong = append(wrong, fmt.Sprintf("revision %d of %s is nobody's: %s", x.revision, x.key, x.value))
		}
	}
	for _, w := range j.all {
		if w.outcome == done && !slices.ContainsFunc(all, func(x written) bool { return slices.Contains(x.by, w) }) {
			wrong = append(wrong, fmt.Sprintf("revision %d of %s by %s was acknowledged, and is not there", w.revision, w.key, w.who))
		}
	}
	return wrong
}

// cell is the state of a key: its last revision, and whether that deleted the key.
type cell struct {
	revision uint64
	deleted  bool
}

// table models the bucket. A refusal is always allowed, because JetStream also refuses during another write. A
// write with an unknown outcome may take effect at any time after its call.
var table = porcupine.Model{
	Init: func() any { return cell{} },
	Step: func(is, in, _ any) (bool, any) {
		c, w := is.(cell), in.(*write)
		fits := w.given == c.revision || w.given == 0 && c.deleted
		switch {
		case w.outcome == refused:
			return true, c
		case !fits:
			return w.outcome == unknown, c
		}
		return w.revision > c.revision, cell{w.revision, w.deletes}
	},
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		keys := map[string][]porcupine.Operation{}
		for _, op := range all {
			key := op.Input.(*write).key
			keys[key] = append(keys[key], op)
		}
		var parts [][]porcupine.Operation
		for _, part := range keys {
			parts = append(parts, part)
		}
		return parts
	},
}

// operations returns the journal for porcupine, without the writes that are known to have failed.
func (j *journal) operations() (all []porcupine.Operation) {
	for _, w := range j.all {
		op := porcupine.Operation{Input: w, Call: int64(w.called), Return: int64(w.answered)}
		if w.outcome == unknown {
			if w.revision == 0 {
				continue
			}
			op.Return = math.MaxInt64
		}
		all = append(all, op)
	}
	return all
}

// ledger checks the rules of placement against all revisions of the bucket in order.
type ledger struct {
	nodes map[string]*written
	rooms map[string]*written
	state map[string]int64 // epochs of the state records of rooms
	lives map[string]bool  // false: the life has ended

	renewals, burials, releases, joins          int
	placed, taken, handed, kept, given, removed int
	wrong                                       []string
}

// check returns a ledger of all revisions, with the violations found.
func check(all []written) *ledger {
	p := &ledger{nodes: map[string]*written{}, rooms: map[string]*written{}, state: map[string]int64{}, lives: map[string]bool{}}
	for i := range all {
		x := &all[i]
		kind, name, _ := strings.Cut(x.key, ".")
		if len(x.by) == 0 {
			continue // match reports it
		}
		var err error
		switch kind {
		case "node":
			err = p.node(name, x)
		case "room":
			err = p.room(name, x)
		case "state":
			err = p.stood(name, x)
		}
		if err != nil {
			p.wrong = append(p.wrong, fmt.Sprintf("revision %d, by %s: %s: %v: %s", x.revision, x.by[0].who, x.key, err, x.value))
		}
	}
	return p
}

func decode[T any](x *written) (record T) {
	if x != nil && !x.deletes {
		_ = json.Unmarshal(x.value, &record) // an invalid record counts as the zero record
	}
	return record
}

// node checks a node record: a renewal, a burial, or the beginning or the end of a life.
func (p *ledger) node(name string, x *written) error {
	before := p.nodes[name]
	was, is := decode[placement.NodeRecord](before), decode[placement.NodeRecord](x)
	p.nodes[name] = x
	by := x.by[0]
	over := before == nil || before.deletes || was.State == placement.Gone
	alive, known := p.lives[is.Life]
	switch {
	case x.deletes && !over:
		return errors.New("a node that lives is forgotten")
	case x.deletes:
		return nil
	case is.Life == was.Life && was.State == placement.Gone:
		if is.State != placement.Gone {
			return errors.New("a life is renewed after its burial")
		}
	case is.Life == was.Life && is.State == placement.Gone:
		p.lives[is.Life] = false
		if by.who == name {
			p.releases++
			return nil
		}
		p.burials++
		if still, least := by.called-before.by[0].called, placement.DefaultTiming.Lease+placement.DefaultTiming.Margin; still <= least {
			return fmt.Errorf("it is buried %v after its last renewal, want more than %v", still, least)
		}
	case is == was: // written again by a node that was unsure about its last write
	case is.Life == was.Life && by.who == name:
		p.renewals++
		if is.Beat <= was.Beat {
			return errors.New("its beat goes back")
		}
	case is.Life == was.Life:
		if is != was {
			return errors.New("another node has changed its record")
		}
	case !over:
		return errors.New("a life begins while the last one lasts")
	case known && !alive && is.State != placement.Gone:
		return errors.New("a life begins again after its end")
	default:
		p.joins++
		p.lives[is.Life] = is.State != placement.Gone
	}
	return nil
}

// room checks a room record: placed, taken, handed over, given up, kept or removed.
func (p *ledger) room(name string, x *written) error {
	before := p.rooms[name]
	was, is := decode[placement.RoomRecord](before), decode[placement.RoomRecord](x)
	p.rooms[name] = x
	by := x.by[0].who
	free := was.Life == "" || !p.lives[was.Life]
	step := is.Epoch - was.Epoch
	switch {
	case x.deletes:
		delete(p.state, name)
		p.removed++
		if by != was.Node && !free {
			return fmt.Errorf("%s removes it from %s, whose life lasts", by, was.Node)
		}
	case before == nil || before.deletes:
		p.placed++
		if by != is.Node || step != 1 {
			return errors.New("it begins as another's, or at another epoch than 1")
		}
	case is.Life == was.Life && by == was.Node && step == 1:
		p.placed++ // by the node that plays it
	case is.Life == was.Life:
		p.kept++
		if step != 0 {
			return errors.New("it is kept, and the epoch is another")
		}
		if by != was.Node && was.Life != "" && !(p.nextOf(was.Next) == by && (is.Ready || is.Next == "")) {
			return errors.New("somebody else has changed it")
		}
	case is.Life == "":
		p.given++
		if by != was.Node || step != 0 || is.Refused[was.Life] == "" {
			return errors.New("it is given up by another, or without a reason")
		}
	case is.From == was.Life && is.Life == was.Next:
		p.handed++
		if by != was.Node || step != 1 || !was.Ready {
			return errors.New("it is handed over by another, or before the next one is ready")
		}
	default:
		p.taken++
		if !free {
			return fmt.Errorf("it is taken from %s, whose life %s lasts", was.Node, was.Life)
		}
		if by != is.Node || step != 1 {
			return errors.New("it is taken for another, or the epoch does not rise by one")
		}
	}
	return nil
}

// nextOf returns the node of a life.
func (p *ledger) nextOf(life string) string {
	for name, x := range p.nodes {
		if decode[placement.NodeRecord](x).Life == life {
			return name
		}
	}
	return ""
}

// stood checks a state record. A node that has lost the room to a later epoch may not write it.
func (p *ledger) stood(name string, x *written) error {
	if x.deletes {
		delete(p.state, name)
		return nil
	}
	is := decode[struct{ Epoch int64 }](x)
	was := p.state[name]
	p.state[name] = is.Epoch
	if is.Epoch < was {
		return fmt.Errorf("it is written by one who had the room before (%d)", was)
	}
	return nil
}
