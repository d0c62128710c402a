package depot

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
	chunkSize = 128 << 10 // the chunk size of nats.go's object store
	mostUnder = 16        // chunks sent without acknowledgment
)

// chunksOf and metaOf return the subjects of the parts of an object, as defined in NATS's ADR-20.
func chunksOf(id string) string { return "$O." + cluster.Objects + ".C." + id }
func metaOf(name string) string {
	return "$O." + cluster.Objects + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
}

// Add implements Store. It reads r once, and sends and hashes it at the same time. The object store
// of nats.go needs the name before the data. Because the name is the hash, it would have to read
// and hash the data twice.
func (s natsStore) Add(ctx context.Context, r io.Reader) (sum string, size int64, err error) {
	id, h := rand.Text(), sha256.New()
	info := jetstream.ObjectInfo{Bucket: cluster.Objects, NUID: id, ObjectMeta: jetstream.ObjectMeta{Opts: &jetstream.ObjectMetaOptions{ChunkSize: chunkSize}}}
	kept := false
	defer func() {
		if !kept {
			s.purge(id)
		}
		if err != nil {
			err = cluster.Plain(err)
		}
	}()
	var under []jetstream.PubAckFuture
	buffers := make([][]byte, mostUnder) // one per unacknowledged chunk, which may be sent again
	for {
		buffer := &buffers[int(info.Chunks)%mostUnder]
		if *buffer == nil {
			*buffer = make([]byte, chunkSize)
		}
		if under, err = await(ctx, under, mostUnder-1); err != nil {
			return "", 0, err
		}
		n, err := io.ReadFull(r, *buffer)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return "", 0, err
		}
		if n > 0 {
			h.Write((*buffer)[:n])
			future, err := s.js.PublishMsgAsync(&nats.Msg{Subject: chunksOf(id), Data: (*buffer)[:n]})
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
		if time.Since(last.ModTime) > fresh {
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
	meta := &nats.Msg{Subject: metaOf(sum), Data: text, Header: nats.Header{}}
	meta.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	kept = true // even if the answer is lost, an object that has its name needs its chunks
	if _, err = s.js.PublishMsg(ctx, meta); err != nil {
		return "", 0, err
	}
	if last != nil {
		s.purge(last.NUID)
	}
	return sum, int64(info.Size), nil
}

// await waits until at most most chunks are unacknowledged, and returns those. under has the
// pending chunks, oldest first. A failed chunk or a timeout is an error.
func await(ctx context.Context, under []jetstream.PubAckFuture, most int) ([]jetstream.PubAckFuture, error) {
	for len(under) > most {
		select {
		case <-under[0].Ok():
			under = under[1:]
		case err := <-under[0].Err():
			return nil, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(2 * cluster.Patience):
			return nil, context.DeadlineExceeded
		}
	}
	return under, nil
}

// purge removes the chunks of an object that was not completed or was replaced; id is its NATS id.
// A failure leaves unused chunks and does no other harm.
func (s natsStore) purge(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
	defer cancel()
	_ = s.stream.Purge(ctx, jetstream.WithPurgeSubject(chunksOf(id)))
}
