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
	chunkSize = 128 << 10 // as the object store of nats.go has it
	mostUnder = 16        // chunks that are under way
)

// chunksOf and metaOf are the subjects of the parts of an object, as NATS's ADR-20 has them.
func chunksOf(id string) string { return "$O." + cluster.Objects + ".C." + id }
func metaOf(name string) string {
	return "$O." + cluster.Objects + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
}

// Add sends what it reads in one pass. The object store of nats.go wants the name first, which is the hash of
// what is sent here: it would be read and hashed twice, which is half of what a result costs a worker.
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
	buffers := make([][]byte, mostUnder) // one for each that is under way: it may be sent again
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
	if last != nil && sumOf(last) == sum { // it was there
		if time.Since(last.ModTime) > fresh {
			err = s.Touch(ctx, sum)
		}
		if !errors.Is(err, ErrMissing) {
			return sum, int64(info.Size), err
		}
		last = nil // it is gone just now
	}
	info.Name, info.Digest = sum, jetstream.GetObjectDigestValue(h)
	text, err := json.Marshal(info)
	if err != nil {
		return "", 0, err
	}
	meta := &nats.Msg{Subject: metaOf(sum), Data: text, Header: nats.Header{}}
	meta.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	kept = true // though the answer be lost: what has its name keeps its chunks
	if _, err = s.js.PublishMsg(ctx, meta); err != nil {
		return "", 0, err
	}
	if last != nil {
		s.purge(last.NUID)
	}
	return sum, int64(info.Size), nil
}

// await waits until at most so many chunks are under way.
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

// purge removes chunks that belong to no object any more. Where it fails they stay, and hurt nobody.
func (s natsStore) purge(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
	defer cancel()
	_ = s.stream.Purge(ctx, jetstream.WithPurgeSubject(chunksOf(id)))
}
