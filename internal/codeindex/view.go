package codeindex

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
)

// listsAtOnce is the number of lists of words that a view reads together (design choice): it bounds the memory of a search.
const listsAtOnce = 4096

// View is the index of one repository as a review reads it. It answers for each content that the index holds, whatever branch a
// file with that content is on. It implements [snapshot.WordIndex].
type View struct {
	service *Service
	tenant  domain.Tenant
	row     store.CodeIndex

	mu       sync.Mutex
	loaded   bool
	segments map[int64]segment
	contents map[string]int64 // place of a file with the content
}

// View returns the index of a repository for a review. Errors: Conflict if there is no index.
func (s *Service) View(ctx context.Context, t domain.Tenant, repository string) (*View, error) {
	r, err := s.Store.Repository(ctx, t, repository)
	if err != nil {
		return nil, err
	}
	row, err := s.ready(ctx, t, r)
	if err != nil {
		return nil, err
	}
	return &View{service: s, tenant: t, row: row}, nil
}

// Commit returns the commit that the index held when the view was opened.
func (v *View) Commit() string { return v.row.CommitSHA }

// Holding implements [snapshot.WordIndex].
func (v *View) Holding(ctx context.Context, files []snapshot.SourceFile, q snapshot.Query) []snapshot.Holding {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := make([]snapshot.Holding, len(files))
	terms, ok := termsOfQuery(q)
	if !ok {
		return out
	}
	for range 2 { // once more if the index was changed meanwhile
		holders, lost, err := v.holders(ctx, terms)
		if err != nil {
			if ctx.Err() == nil {
				v.service.Logger.WarnContext(ctx, "a review could not read the code index", slog.Any("error", err))
			}
			return out
		}
		if lost {
			v.loaded = false
			continue
		}
		for i, f := range files {
			place, known := v.contents[blobName(f.Language, f.OID)]
			switch {
			case !known:
			case holders[place]:
				out[i] = snapshot.Present
			default:
				out[i] = snapshot.Absent
			}
		}
		return out
	}
	return out
}

// termsOfQuery returns the terms that stand for the words of a query; false if the index does not hold words of their length.
func termsOfQuery(q snapshot.Query) (map[term]bool, bool) {
	out := map[term]bool{termOf(roleCut, ""): true}
	for _, w := range q.Words {
		switch {
		case q.Defined:
			out[termOf(roleMayDefine, w)] = true
		case len(w) < minWord || len(w) >= maxWord:
			return nil, false
		default:
			out[termOf(roleExact, w)], out[termOf(roleExact, "$"+w)] = true, true
		}
	}
	return out, true
}

// load reads which contents and chunks the index holds. A content of a segment that is made meanwhile is left out.
func (v *View) load(ctx context.Context) error {
	s := v.service.Store
	row, err := s.CodeIndexOf(ctx, v.tenant, v.row.Repository, v.row.Branch)
	if err != nil {
		return err
	}
	if row.Generation == 0 {
		return errNotReady()
	}
	v.row.Generation, v.row.ID = row.Generation, row.ID
	segments, err := v.service.segments(ctx, v.tenant, row.ID, row.Generation)
	if err != nil {
		return err
	}
	files, err := s.CodeFiles(ctx, v.tenant, row.ID, row.Generation)
	if err != nil {
		return err
	}
	v.segments, v.contents = make(map[int64]segment, len(segments)), make(map[string]int64, len(files))
	for _, seg := range segments {
		v.segments[seg.Segment] = seg
	}
	for _, f := range files {
		number, _ := f.InSegment()
		if _, known := v.segments[number]; known && f.Place >= 0 {
			v.contents[f.Blob] = f.Place
		}
	}
	v.loaded = true
	return nil
}

// holders returns the places of the files that hold one of the terms. lost is true if segments of the view are gone.
func (v *View) holders(ctx context.Context, terms map[term]bool) (out map[int64]bool, lost bool, err error) {
	if !v.loaded {
		if err := v.load(ctx); err != nil {
			return nil, false, err
		}
	}
	var wanted []int64
	for number, seg := range v.segments {
		for t := range terms {
			wanted = append(wanted, store.CodeBucket(number, listOf(t, seg.Bits)))
		}
	}
	slices.Sort(wanted)
	out = map[int64]bool{}
	for part := range slices.Chunk(slices.Compact(wanted), listsAtOnce) {
		lists, err := v.service.Store.CodeWords(ctx, v.tenant, v.row.ID, v.row.Generation, part)
		if err != nil {
			return nil, false, err
		}
		for _, l := range lists {
			if err := v.mark(l, terms, out); err != nil {
				return nil, false, err
			}
		}
	}
	now, err := v.service.Store.CodeSegments(ctx, v.tenant, v.row.ID, v.row.Generation)
	there := 0
	for _, seg := range now {
		if _, known := v.segments[seg.Segment]; known {
			there++
		}
	}
	return out, there < len(v.segments), err
}

// mark marks the places of the files that a list names for one of the terms.
func (v *View) mark(l store.CodeWords, terms map[term]bool, out map[int64]bool) error {
	number := store.SegmentOfBucket(l.Bucket)
	chunks := v.segments[number].chunks
	return eachTerm(l.Content, func(t term, body []byte) error {
		if !terms[t] {
			return nil
		}
		found, err := postingsOf(body)
		for _, p := range found {
			if int(p.chunk) >= len(chunks) {
				return errDamaged
			}
			out[store.CodePlace(number, chunks[p.chunk].file)] = true
		}
		return err
	})
}
