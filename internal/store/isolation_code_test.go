package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var codeIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		v.index = must2(s.OpenCodeIndex(bg, v.Tenant, v.Repository.ID, "trunk"))(t)
		testkit.OK(t, s.PutCodeBlobs(bg, v.Tenant, []store.CodeBlob{{Blob: "1:Go:a", Content: []byte("text")}}))
		testkit.OK(t, s.ChangeCodeFiles(bg, v.Tenant, v.index.ID, 1, store.CodeChange{
			Files:   []store.CodeFile{{Path: "a.go", Blob: "1:Go:a", Place: store.CodePlace(1, 0)}, {Path: "b.go", Blob: "1:Go:b", Place: -1, Reason: "binary"}},
			Segment: &store.CodeSegment{Segment: 1, Bits: 1, Chunks: []byte{0}}, Words: []store.CodeWords{{Bucket: store.CodeBucket(1, 0), Content: []byte{1}}}}))
	},
	foreign: func(v victim) map[string][]any {
		id, repo := v.index.ID, v.Repository.ID
		return map[string][]any{
			"CodeIndexOf": {repo, "trunk"}, "OpenCodeIndex": {repo, "evil"}, "SaveCodeIndex": {store.CodeIndex{Record: store.Record{ID: id}, State: "evil", LeftOut: "[]"}},
			"BeginCodeRebuild": {id}, "SwitchCodeIndex": {id}, "ClearCodeIndex": {id, "evil"}, "CodeIndexBytes": {id, int64(1)}, "EnqueueIndex": {repo},
			"CodeFiles": {id, int64(1)}, "CodeFilesAt": {id, int64(1), []int64{store.CodePlace(1, 0)}}, "UseCodeBlobs": {[]string{"1:Go:a"}},
			"CodeBlobs": {[]string{"1:Go:a"}}, "CodeSegments": {id, int64(1)}, "CodeChunks": {id, int64(1), []int64{1}}, "CodeWords": {id, int64(1), []int64{store.CodeBucket(1, 0)}},
			"ChangeCodeFiles": {id, int64(1), store.CodeChange{Gone: []string{"a.go"}, Emptied: []int64{1}}},
		}
	},
	ownRows:  map[string]string{"PutCodeBlobs": "the contents are the caller's, whatever others keep under the same name"},
	instance: map[string]string{"EnqueueDueIndexes": "the service indexes the repositories of every tenant", "DropUnusedCode": "housekeeping of every tenant"},
}

// The rows of a generation are replaced as one, and a segment is deleted with its words.
func TestCodeFilesChange(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := seedVictim(t, s)
		id := v.index.ID
		size := must2(s.CodeIndexBytes(bg, v.Tenant, id, 1))(t)
		testkit.Equal(t, "bytes", size, int64(len("text")+2))
		testkit.OK(t, s.ChangeCodeFiles(bg, v.Tenant, id, 1, store.CodeChange{Gone: []string{"a.go"}, Emptied: []int64{1},
			Files:   []store.CodeFile{{Path: "a.go", Blob: "1:Go:c", Place: store.CodePlace(2, 0)}},
			Segment: &store.CodeSegment{Segment: 2, Bits: 1, Chunks: []byte{0}}, Words: []store.CodeWords{{Bucket: store.CodeBucket(2, 1), Content: []byte{2}}}}))
		files := must2(s.CodeFiles(bg, v.Tenant, id, 1))(t)
		testkit.Equal(t, "files", len(files), 2)
		segment, number := files[0].InSegment()
		testkit.Equal(t, "place", [2]int64{segment, int64(number)}, [2]int64{2, 0})
		testkit.Equal(t, "words of the old segment", len(must2(s.CodeWords(bg, v.Tenant, id, 1, []int64{store.CodeBucket(1, 0)}))(t)), 0)
		testkit.OK(t, s.ChangeCodeFiles(bg, v.Tenant, id, 1, store.CodeChange{Stale: map[int64][]byte{2: {7}}}))
		testkit.Equal(t, "stale", string(must2(s.CodeSegments(bg, v.Tenant, id, 1))(t)[0].Stale), "\a")
		testkit.OK(t, s.SwitchCodeIndex(bg, v.Tenant, id))
		testkit.OK(t, s.SwitchCodeIndex(bg, v.Tenant, id)) // nothing is being built
		testkit.OK(t, s.BeginCodeRebuild(bg, v.Tenant, id))
		row := must2(s.CodeIndexOf(bg, v.Tenant, v.Repository.ID, "trunk"))(t)
		testkit.Equal(t, "generations", [2]int64{row.Generation, row.NextGeneration}, [2]int64{1, 2})
		_, err := s.EnqueueIndex(bg, domain.Tenant{ID: v.Tenant.ID}, v.Repository.ID)
		testkit.OK(t, err)
	})
}
