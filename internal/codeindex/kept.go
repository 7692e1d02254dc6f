package codeindex

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Bounds of what a process keeps of the segments of all repositories (design choices): 40 MB.
const (
	keptSegments = 20_000
	keptChunks   = 1_000_000
)

// layout is what never changes of a segment: its chunks by number, and the number of its files.
type layout struct {
	chunks []placed
	files  int
}

// layouts keeps layouts, so that a search does not read them again. It is safe for concurrent use.
type layouts struct {
	mu     sync.Mutex
	lru    *simplelru.LRU[string, layout]
	chunks int
}

func newLayouts() *layouts {
	k := &layouts{}
	k.lru, _ = simplelru.NewLRU(keptSegments, func(_ string, l layout) { k.chunks -= len(l.chunks) }) // fails only for a size below 1
	return k
}

// keyOf names a segment of an index. Numbers of segments are not used again, see [segmentNumber].
func keyOf(index string, number int64) string { return index + " " + strconv.FormatInt(number, 10) }

func (k *layouts) get(key string) (layout, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lru.Get(key)
}

func (k *layouts) put(key string, l layout) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lru.Contains(key) {
		return
	}
	k.lru.Add(key, l)
	for k.chunks += len(l.chunks); k.chunks > keptChunks; {
		k.lru.RemoveOldest()
	}
}

// segment is a group of files of an index, with its layout and the files that are gone from it.
type segment struct {
	store.CodeSegment
	layout
	stale map[uint64]bool
}

func (s segment) isLive(k placed) bool { return len(s.stale) == 0 || !s.stale[uint64(k.file)] }

// liveFiles returns the number of the files that are not stale.
func (s segment) liveFiles() int { return s.files - len(s.stale) }

// segments returns the segments of a generation of an index, oldest first. One that is deleted meanwhile is left out.
func (s *Service) segments(ctx context.Context, t domain.Tenant, index string, generation int64) (out []segment, err error) {
	rows, err := s.Store.CodeSegments(ctx, t, index, generation)
	if err != nil {
		return nil, err
	}
	var missing []int64
	known := map[int64]layout{}
	for _, r := range rows {
		l, kept := s.kept.get(keyOf(index, r.Segment))
		if !kept {
			missing = append(missing, r.Segment)
			continue
		}
		known[r.Segment] = l
	}
	chunks, err := s.Store.CodeChunks(ctx, t, index, generation, missing)
	if err != nil {
		return nil, err
	}
	for number, packed := range chunks {
		l, err := layoutOf(packed)
		if err != nil {
			return nil, err
		}
		s.kept.put(keyOf(index, number), l)
		known[number] = l
	}
	for _, r := range rows {
		l, there := known[r.Segment]
		if !there {
			continue
		}
		stale, err := staleIn(r)
		if err != nil {
			return nil, err
		}
		out = append(out, segment{r, l, stale})
	}
	return out, nil
}

// segmentNumber returns the number of a new segment. It is a time, so that no number of an index is used again.
func segmentNumber(segments []segment) int64 {
	number := time.Now().UnixMilli()
	if n := len(segments); n > 0 {
		number = max(number, segments[n-1].Segment+1)
	}
	return number
}
