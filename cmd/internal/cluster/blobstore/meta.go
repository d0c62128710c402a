package blobstore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
)

// The meta of an object is the last message on its subject: name, size and location of the chunks.
// The object store of nats.go overwrites it unconditionally. The functions of this file replace it
// only if it is unchanged (compare and set).

// meta returns the description of the object called name. The second result is the sequence number of the message that
// holds the description; writeMeta expects that number. If the object is missing or deleted, or if its description is
// invalid, the error is ErrMissing.
func (s natsStore) meta(ctx context.Context, name string) (*jetstream.ObjectInfo, uint64, error) {
	msg, err := s.stream.GetLastMsgForSubject(ctx, metaSubject(name))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, 0, ErrMissing
	}
	if err != nil {
		return nil, 0, cluster.Plain(err)
	}
	info := &jetstream.ObjectInfo{}
	if err := json.Unmarshal(msg.Data, info); err != nil || info.Deleted {
		return nil, 0, ErrMissing
	}
	info.ModTime = msg.Time
	return info, msg.Sequence, nil
}

// writeMeta writes info as the new description of the object info.Name, but only if the description has not changed
// since the caller read it. The parameter expected is the sequence number of the description that the caller has read.
// The result is the sequence number of the new description. If the description has changed, writeMeta returns 0 without
// an error.
func (s natsStore) writeMeta(ctx context.Context, info *jetstream.ObjectInfo, expected uint64) (uint64, error) {
	text, err := json.Marshal(info)
	if err != nil {
		return 0, err
	}
	msg := &nats.Msg{Subject: metaSubject(info.Name), Data: text, Header: nats.Header{}}
	msg.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	ack, err := s.js.PublishMsg(ctx, msg, jetstream.WithExpectLastSequencePerSubject(expected))
	if cluster.Replaced(err) {
		return 0, nil
	}
	if err != nil {
		return 0, cluster.Plain(err)
	}
	return ack.Sequence, nil
}

// Touch sets the time of the last use of the object called name to now. To do so, it writes the object's description
// again. If the object does not exist or is just being removed, the error is ErrMissing. After other failures it tries
// again for up to 10 s.
func (s natsStore) Touch(ctx context.Context, name string) error {
	gone := false
	err := retry(ctx, giveUpAfter, func(ctx context.Context) error {
		info, sequence, err := s.meta(ctx, name)
		if gone = errors.Is(err, ErrMissing); gone {
			return nil
		}
		if err != nil {
			return err
		}
		written, err := s.writeMeta(ctx, info, sequence)
		if err == nil && written == 0 {
			return errors.New("other writers keep changing the same file")
		}
		return err
	})
	if gone {
		return ErrMissing
	}
	return err
}

// Remove removes the object o from the store and returns true. If the object is missing, or if it was put or touched
// after o was read, it returns false and no error. It marks the object as deleted, as nats.go does. Then it removes the
// data and the mark. It ignores errors of this removal.
func (s natsStore) Remove(ctx context.Context, o Object) (bool, error) {
	info, sequence, err := s.meta(ctx, o.Name)
	if errors.Is(err, ErrMissing) || err == nil && info.ModTime.After(o.Used) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	info.Deleted, info.Size, info.Chunks, info.Digest = true, 0, 0, ""
	mark, err := s.writeMeta(ctx, info, sequence)
	if err != nil || mark == 0 {
		return false, err
	}
	s.purge(info.NUID)
	_ = s.stream.Purge(ctx, jetstream.WithPurgeSubject(metaSubject(o.Name)), jetstream.WithPurgeSequence(mark+1)) // a mark that stays does no harm
	return true, nil
}
