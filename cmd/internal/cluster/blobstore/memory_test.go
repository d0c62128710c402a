package blobstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
	"time"
)

// memory is a store in memory that counts calls.
type memory struct {
	mutex      sync.Mutex
	objects    map[string][]byte
	used       map[string]time.Time
	puts, gets int
}

func (m *memory) Stat(_ context.Context, name string) (Object, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	data, there := m.objects[name]
	if !there {
		return Object{}, ErrMissing
	}
	return Object{Name: name, Size: int64(len(data)), Sum: hash(data), Used: m.used[name]}, nil
}

func (m *memory) Touch(_ context.Context, name string) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if _, there := m.objects[name]; !there {
		return ErrMissing
	}
	m.touch(name)
	return nil
}

func (m *memory) touch(name string) {
	if m.used == nil {
		m.used = map[string]time.Time{}
	}
	m.used[name] = time.Now()
}

func (m *memory) List(context.Context) (all []Object, now time.Time, err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for name, data := range m.objects {
		all = append(all, Object{Name: name, Size: int64(len(data)), Sum: hash(data), Used: m.used[name]})
	}
	return all, time.Now(), nil
}

func (m *memory) Remove(_ context.Context, o Object) (bool, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if _, there := m.objects[o.Name]; !there || m.used[o.Name].After(o.Used) {
		return false, nil
	}
	delete(m.objects, o.Name)
	return true, nil
}

func (m *memory) Put(_ context.Context, name string, r io.Reader) (string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.objects == nil {
		m.objects = map[string][]byte{}
	}
	m.objects[name] = data
	m.touch(name)
	m.puts++
	return hash(data), nil
}

func (m *memory) Add(ctx context.Context, r io.Reader) (string, int64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	sum, err := m.Put(ctx, hash(data), bytes.NewReader(data))
	return sum, int64(len(data)), err
}

func (m *memory) Get(_ context.Context, name string) (io.ReadCloser, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.gets++
	data, there := m.objects[name]
	if !there {
		return nil, ErrMissing
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
