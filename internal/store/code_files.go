package store

import (
	"context"
	"maps"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// CodeFile is a file of an index.
type CodeFile struct {
	Path, Blob string // Blob names its content, see [CodeBlob]
	Place      int64  // its segment and its number in that, see [CodePlace]; negative if it was left out
	Reason     string // why its content was left out; "" if it is indexed
}

// placesOfSegment is the number of places of a segment.
const placesOfSegment = 1 << 20

// CodePlace returns the place of a file in a segment.
func CodePlace(segment int64, number int) int64 { return segment*placesOfSegment + int64(number) }

// InSegment returns the segment and the number of an indexed file.
func (f CodeFile) InSegment() (segment int64, number int) {
	return f.Place / placesOfSegment, int(f.Place % placesOfSegment)
}

// CodeBlob is the content of a file with its parts, as package codeindex packs it. It exists once per tenant.
type CodeBlob struct {
	Blob    string
	Content []byte
}

// CodeSegment is a group of files that were indexed together.
type CodeSegment struct {
	Segment int64
	Bits    int64  // the words are spread over 2^Bits lists
	Chunks  []byte // the chunks by file, as package codeindex packs them
	Stale   []byte // numbers of files that are gone or were indexed again, as package codeindex packs them
}

// CodeWords is a list of words of a segment with their chunks, as package codeindex packs it.
type CodeWords struct {
	Bucket  int64 // see [CodeBucket]
	Content []byte
}

// bucketsOfSegment is the greatest number of lists of words of a segment.
const bucketsOfSegment = 1 << 16

// CodeBucket returns the number of a list of words of a segment.
func CodeBucket(segment, list int64) int64 { return segment*bucketsOfSegment + list }

// SegmentOfBucket returns the segment of a list of words.
func SegmentOfBucket(bucket int64) int64 { return bucket / bucketsOfSegment }

// CodeChange is a change of an index that is applied at once.
type CodeChange struct {
	Gone    []string // paths whose rows are deleted
	Files   []CodeFile
	Segment *CodeSegment // of the new files; nil without indexed files
	Words   []CodeWords
	Stale   map[int64][]byte // new values of [CodeSegment.Stale]
	Emptied []int64          // segments without files, which are deleted
}

// CodeFiles lists the files of a generation of an index in the order of their paths.
func (s *Store) CodeFiles(ctx context.Context, t domain.Tenant, index string, generation int64) ([]CodeFile, error) {
	return many(ctx, s, scanCodeFile, `SELECT path, blob, place, reason FROM code_files WHERE tenant_id = $1 AND index_id = $2
		AND generation = $3 ORDER BY path`, t.ID, index, generation)
}

func scanCodeFile(r scanner, v *CodeFile) error { return r.Scan(&v.Path, &v.Blob, &v.Place, &v.Reason) }

// CodeFilesAt reads the files of a generation of an index at some places. Places without a file are missing in the result.
func (s *Store) CodeFilesAt(ctx context.Context, t domain.Tenant, index string, generation int64, places []int64) ([]CodeFile, error) {
	return manyIn(ctx, s, scanCodeFile, places, `SELECT path, blob, place, reason FROM code_files WHERE tenant_id = $1 AND index_id = $2
		AND generation = $3 AND place IN ({list})`, t.ID, index, generation)
}

// UseCodeBlobs returns which of the contents are stored, and keeps those for ten minutes although no file names them.
func (s *Store) UseCodeBlobs(ctx context.Context, t domain.Tenant, blobs []string) (map[string]bool, error) {
	known := map[string]bool{}
	err := s.Atomically(ctx, func(ctx context.Context) error {
		for part := range slices.Chunk(distinct(blobs), listSize) {
			found, err := returned(ctx, s, value[string], listed(`UPDATE code_blobs SET used_us = {now} WHERE tenant_id = $1
				AND blob IN ({list}) RETURNING blob`, inList(len(part), 2)), append([]any{t.ID}, anys(part)...)...)
			if err != nil {
				return err
			}
			for _, b := range found {
				known[b] = true
			}
		}
		return nil
	})
	return known, err
}

// PutCodeBlobs stores contents, in place of stored ones with the same names. A name must not repeat.
func (s *Store) PutCodeBlobs(ctx context.Context, t domain.Tenant, blobs []CodeBlob) error {
	now, err := s.Now(ctx)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, b := range blobs {
		rows = append(rows, []any{t.ID, b.Blob, b.Content, int64(len(b.Content)), now})
	}
	return insertRows(ctx, s, rows, `INSERT INTO code_blobs (tenant_id, blob, content, size, used_us) VALUES {list}
		ON CONFLICT (tenant_id, blob) DO UPDATE SET content = excluded.content, size = excluded.size, used_us = excluded.used_us`)
}

// CodeBlobs reads contents. Those that are not stored are missing in the result.
func (s *Store) CodeBlobs(ctx context.Context, t domain.Tenant, blobs []string) ([]CodeBlob, error) {
	return manyIn(ctx, s, func(r scanner, v *CodeBlob) error { return r.Scan(&v.Blob, &v.Content) }, blobs,
		`SELECT blob, content FROM code_blobs WHERE tenant_id = $1 AND blob IN ({list})`, t.ID)
}

// CodeSegments lists the segments of a generation of an index without their chunks, oldest first.
func (s *Store) CodeSegments(ctx context.Context, t domain.Tenant, index string, generation int64) ([]CodeSegment, error) {
	return many(ctx, s, func(r scanner, v *CodeSegment) error { return r.Scan(&v.Segment, &v.Bits, &v.Stale) },
		`SELECT segment, bits, stale_files FROM code_segments WHERE tenant_id = $1 AND index_id = $2 AND generation = $3
			ORDER BY segment`, t.ID, index, generation)
}

// CodeChunks reads the packed chunks of segments of a generation of an index, by number. They never change. Deleted segments are missing
// in the result.
func (s *Store) CodeChunks(ctx context.Context, t domain.Tenant, index string, generation int64, segments []int64) (map[int64][]byte, error) {
	rows, err := manyIn(ctx, s, func(r scanner, v *CodeSegment) error { return r.Scan(&v.Segment, &v.Chunks) }, segments,
		`SELECT segment, chunks FROM code_segments WHERE tenant_id = $1 AND index_id = $2 AND generation = $3 AND segment IN ({list})`,
		t.ID, index, generation)
	out := make(map[int64][]byte, len(rows))
	for _, r := range rows {
		out[r.Segment] = r.Chunks
	}
	return out, err
}

// CodeWords reads lists of words of a generation of an index. Lists without words are missing in the result.
func (s *Store) CodeWords(ctx context.Context, t domain.Tenant, index string, generation int64, buckets []int64) ([]CodeWords, error) {
	return manyIn(ctx, s, func(r scanner, v *CodeWords) error { return r.Scan(&v.Bucket, &v.Content) }, buckets,
		`SELECT bucket, content FROM code_words WHERE tenant_id = $1 AND index_id = $2 AND generation = $3 AND bucket IN ({list})`,
		t.ID, index, generation)
}

// ChangeCodeFiles applies a change to a generation of an index in one transaction. It returns [errs.NotFound] if the index is not
// the tenant's, or was deleted.
func (s *Store) ChangeCodeFiles(ctx context.Context, t domain.Tenant, index string, generation int64, c CodeChange) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM code_indexes WHERE tenant_id = $1 AND id = $2{forupdate}`,
			[]any{t.ID, index}); err != nil {
			return err
		}
		of := []any{t.ID, index, generation}
		if err := execIn(ctx, s, c.Gone, `DELETE FROM code_files WHERE tenant_id = $1 AND index_id = $2 AND generation = $3
			AND path IN ({list})`, of...); err != nil {
			return err
		}
		if err := execIn(ctx, s, c.Emptied, `DELETE FROM code_segments WHERE tenant_id = $1 AND index_id = $2 AND generation = $3
			AND segment IN ({list})`, of...); err != nil {
			return err
		}
		for _, segment := range c.Emptied {
			if _, err := s.exec(ctx, `DELETE FROM code_words WHERE tenant_id = $1 AND index_id = $2 AND generation = $3 AND bucket >= $4
				AND bucket < $5`, t.ID, index, generation, CodeBucket(segment, 0), CodeBucket(segment+1, 0)); err != nil {
				return err
			}
		}
		for _, segment := range slices.Sorted(maps.Keys(c.Stale)) {
			if _, err := s.exec(ctx, `UPDATE code_segments SET stale_files = $5 WHERE tenant_id = $1 AND index_id = $2 AND generation = $3
				AND segment = $4`, t.ID, index, generation, segment, c.Stale[segment]); err != nil {
				return err
			}
		}
		return s.addCodeRows(ctx, of, c)
	})
}

// addCodeRows inserts the new rows of a change. of are the tenant, the index and the generation.
func (s *Store) addCodeRows(ctx context.Context, of []any, c CodeChange) error {
	var files, words [][]any
	for _, f := range c.Files {
		files = append(files, append(slices.Clone(of), f.Path, f.Blob, f.Place, f.Reason))
	}
	if err := insertRows(ctx, s, files, `INSERT INTO code_files (tenant_id, index_id, generation, path, blob, place, reason)
		VALUES {list}`); err != nil {
		return err
	}
	if c.Segment == nil {
		return nil
	}
	size := int64(len(c.Segment.Chunks))
	for _, w := range c.Words {
		size += int64(len(w.Content))
		words = append(words, append(slices.Clone(of), w.Bucket, w.Content))
	}
	if err := insertRows(ctx, s, words, `INSERT INTO code_words (tenant_id, index_id, generation, bucket, content)
		VALUES {list}`); err != nil {
		return err
	}
	stale := c.Segment.Stale
	if stale == nil {
		stale = []byte{}
	}
	return insertRows(ctx, s, [][]any{append(slices.Clone(of), c.Segment.Segment, c.Segment.Bits, c.Segment.Chunks, stale, size)},
		`INSERT INTO code_segments (tenant_id, index_id, generation, segment, bits, chunks, stale_files, size) VALUES {list}`)
}
