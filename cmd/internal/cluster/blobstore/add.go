package blobstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
)

const (
	chunkSize  = 128 << 10 // the chunk size of nats.go's object store
	maxUnacked = 16        // chunks sent without acknowledgment
)

// chunkSubject returns the NATS subject of an object's chunks, the messages that hold its data. id is the random NATS
// id of the object. ADR-20 of NATS defines the subject.
func chunkSubject(id string) string { return "$O." + cluster.Objects + ".C." + id }

// metaSubject returns the NATS subject of the message that describes the object called name. ADR-20 of NATS defines the
// subject.
func metaSubject(name string) string {
	return "$O." + cluster.Objects + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
}

// Add stores the data of r as an object whose name is their SHA-256. It returns the name and the size in bytes. It
// reads r only once, and sends and hashes the data at the same time. The object store of nats.go cannot do that,
// because it needs the name first.
//
// If the object exists already, Add only renews the time of its last use, if that is more than an hour ago. Data that
// were sent but do not become an object are removed. After an error of the very last request they stay, because the
// object may exist.
func (s natsStore) Add(ctx context.Context, r io.Reader) (sum string, size int64, err error) {
	id, h := rand.Text(), sha256.New()
	info := jetstream.ObjectInfo{Bucket: cluster.Objects, NUID: id, ObjectMeta: jetstream.ObjectMeta{Opts: &jetstream.ObjectMetaOptions{ChunkSize: chunkSize}}}
	complete := false
	defer func() {
		if !complete {
			s.purge(id)
		}
		if err != nil {
			err = cluster.Plain(err)
		}
	}()
	var under []jetstream.PubAckFuture
	buffers := make([][]byte, maxUnacked) // one per unacknowledged chunk, which may be sent again
	for {
		buffer := &buffers[int(info.Chunks)%maxUnacked]
		if *buffer == nil {
			*buffer = make([]byte, chunkSize)
		}
		if under, err = await(ctx, under, maxUnacked-1); err != nil {
			return "", 0, err
		}
		n, err := io.ReadFull(r, *buffer)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return "", 0, err
		}
		if n > 0 {
			h.Write((*buffer)[:n])
			future, err := s.js.PublishMsgAsync(&nats.Msg{Subject: chunkSubject(id), Data: (*buffer)[:n]})
			if err != nil {
				return "", 0, err
			}
			under = append(under, future)
			info.Size += uint64(n)
			info.Chunks++
		}
		if n < chunkSize {
			break
		}
	}
	if _, err = await(ctx, under, 0); err != nil {
		return "", 0, err
	}
	sum = hex.EncodeToString(h.Sum(nil))
	last, err := s.objects.GetInfo(ctx, sum)
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return "", 0, err
	}
	if last != nil && sumOf(last) == sum { // it already exists
		if time.Since(last.ModTime) > touchAfter {
			err = s.Touch(ctx, sum)
		}
		if !errors.Is(err, ErrMissing) {
			return sum, int64(info.Size), err
		}
		last = nil // it has just been removed
	}
	info.Name, info.Digest = sum, jetstream.GetObjectDigestValue(h)
	text, err := json.Marshal(info)
	if err != nil {
		return "", 0, err
	}
	meta := &nats.Msg{Subject: metaSubject(sum), Data: text, Header: nats.Header{}}
	meta.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	complete = true // even if the answer is lost, an object that has its name needs its chunks
	if _, err = s.js.PublishMsg(ctx, meta); err != nil {
		return "", 0, err
	}
	if last != nil {
		s.purge(last.NUID)
	}
	return sum, int64(info.Size), nil
}

// await limits the number of sent chunks that NATS has not acknowledged. pending has one future for each such chunk,
// oldest first. await waits until at most limit of them remain, and returns these. A failed chunk, the end of ctx, and
// 10 s without an acknowledgment are errors.
func await(ctx context.Context, pending []jetstream.PubAckFuture, limit int) ([]jetstream.PubAckFuture, error) {
	for len(pending) > limit {
		select {
		case <-pending[0].Ok():
			pending = pending[1:]
		case err := <-pending[0].Err():
			return nil, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(2 * cluster.Patience):
			return nil, context.DeadlineExceeded
		}
	}
	return pending, nil
}

// purge removes the data of an object that was not completed or was replaced. id is the random NATS id of the object.
// It takes at most 5 s. Errors are ignored, because remaining data only use space.
func (s natsStore) purge(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
	defer cancel()
	_ = s.stream.Purge(ctx, jetstream.WithPurgeSubject(chunkSubject(id)))
}
