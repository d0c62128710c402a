package blobstore

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cluster"
)

// Open opens the Store of files in NATS, over the connection c. If NATS has no such object store, Open creates it. The
// Store has no cache. It uses c as long as it is used, and does not close c.
func Open(ctx context.Context, c *cluster.Conn) (*Store, error) {
	objects, err := c.JS.ObjectStore(ctx, cluster.Objects)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		objects, err = c.JS.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: cluster.Objects, Description: "files of voicepool, by their SHA-256", Replicas: c.Replicas(),
		})
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // another client has created it at the same time
		objects, err = c.JS.ObjectStore(ctx, cluster.Objects)
	}
	if err != nil {
		return nil, fmt.Errorf("the object store %s: %w", cluster.Objects, c.OpenError(ctx, err))
	}
	stream, err := c.JS.Stream(ctx, "OBJ_"+cluster.Objects)
	if err != nil {
		return nil, fmt.Errorf("the object store %s: %w", cluster.Objects, c.OpenError(ctx, err))
	}
	return New(natsStore{c.JS, objects, stream}), nil
}

// natsStore is an object store of NATS.
type natsStore struct {
	js      jetstream.JetStream
	objects jetstream.ObjectStore
	stream  jetstream.Stream // the stream of the object store
}

// Stat returns the size, the hash and the time of the last use of the object called name. If the object does not exist,
// the error is ErrMissing.
func (s natsStore) Stat(ctx context.Context, name string) (Object, error) {
	info, err := s.objects.GetInfo(ctx, name)
	if err != nil {
		return Object{}, missing(err)
	}
	return object(info), nil
}

// object returns the Object that info describes. Its Sum is "" if NATS has not stored a hash.
func object(info *jetstream.ObjectInfo) Object {
	return Object{Name: info.Name, Size: int64(info.Size), Sum: sumOf(info), Used: info.ModTime}
}

// List returns all objects of the store, or nil if there are not any. The result now is the time of the NATS server
// just before the objects were listed.
func (s natsStore) List(ctx context.Context) (all []Object, now time.Time, err error) {
	info, err := s.stream.Info(ctx)
	if err != nil {
		return nil, now, cluster.Plain(err)
	}
	list, err := s.objects.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil, now, cluster.Plain(err)
	}
	for _, one := range list {
		all = append(all, object(one))
	}
	return all, info.TimeStamp, nil
}

// Put stores the data of r as the object called name, and replaces an existing object. It returns the SHA-256 of the
// data in hexadecimal digits. If NATS has not stored a hash, the result is "".
func (s natsStore) Put(ctx context.Context, name string, r io.Reader) (string, error) {
	info, err := s.objects.Put(ctx, jetstream.ObjectMeta{Name: name}, r)
	if err != nil {
		return "", cluster.Plain(err)
	}
	return sumOf(info), nil
}

// Get opens the object called name for reading. It tries for up to 10 s, but only for 1 s if the object seems to be
// missing. The data are fetched while the caller reads, and ctx must not end before. If the object does not exist, the
// error is ErrMissing. The hash of the data is not checked.
func (s natsStore) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	var info *jetstream.ObjectInfo
	err := retry(ctx, giveUpAfter, func(ctx context.Context) (err error) {
		info, err = s.objects.GetInfo(ctx, name)
		return err
	})
	if err != nil {
		return nil, missing(err)
	}
	return &reader{ctx: ctx, stream: s.stream, subject: chunkSubject(info.NUID), next: 1, remaining: info.Chunks}, nil
}

// missing translates an error of NATS. If err means that an object does not exist, the result is ErrMissing. Otherwise
// it is cluster.Plain(err). err must not be nil.
func missing(err error) error {
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return ErrMissing
	}
	return cluster.Plain(err)
}

// sumOf returns the SHA-256 that NATS has stored in info, in hexadecimal digits. If it is missing or not valid base64,
// the result is "". Its length is not checked.
func sumOf(info *jetstream.ObjectInfo) string {
	text, found := strings.CutPrefix(info.Digest, "SHA-256=")
	raw, err := base64.URLEncoding.DecodeString(text)
	if !found || err != nil {
		return ""
	}
	return hex.EncodeToString(raw)
}
