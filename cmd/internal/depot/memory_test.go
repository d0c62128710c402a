package depot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
)

// memory is a store in memory, which counts.
type memory struct {
	mutex      sync.Mutex
	objects    map[string][]byte
	puts, gets int
}

func (m *memory) Stat(_ context.Context, name string) (int64, string, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	data, there := m.objects[name]
	if !there {
		return 0, "", ErrMissing
	}
	return int64(len(data)), hash(data), nil
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
