package github

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

const gitPath = "/repos/octo/demo/git"

// A commit keeps the modes of existing files, and refuses to write through a symbolic link. Content that is
// not text is sent as a blob.
func TestCommitKeepsModes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	answer := func(path string, status int, body any) {
		f.on(path, func(w http.ResponseWriter, _ *http.Request) { reply(w, status, body) })
	}
	ref := map[string]any{"ref": "refs/heads/topic", "object": map[string]any{"sha": headSHA}}
	answer("GET "+gitPath+"/ref/heads/topic", 200, ref)
	answer("GET "+gitPath+"/commits/"+headSHA, 200, map[string]any{"sha": headSHA, "tree": map[string]any{"sha": "root"}})
	answer("GET "+gitPath+"/trees/root", 200, map[string]any{"sha": "root", "tree": []any{
		map[string]any{"path": "run.sh", "mode": "100755", "type": "blob", "sha": "1"}, map[string]any{"path": "link", "mode": "120000", "type": "blob", "sha": "2"},
		map[string]any{"path": "module", "mode": "160000", "type": "commit", "sha": "3"}, map[string]any{"path": "dir", "mode": "040000", "type": "tree", "sha": "sub"}}})
	answer("GET "+gitPath+"/trees/sub", 200, map[string]any{"sha": "sub", "truncated": true, "tree": []any{}})
	var sent struct {
		BaseTree string `json:"base_tree"`
		Tree     []map[string]any
	}
	f.on("POST "+gitPath+"/trees", func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		reply(w, 201, map[string]any{"sha": "new"})
	})
	answer("POST "+gitPath+"/blobs", 201, map[string]any{"sha": "b1"})
	answer("POST "+gitPath+"/commits", 201, map[string]any{"sha": baseSHA})
	answer("PATCH "+gitPath+"/refs/heads/topic", 200, map[string]any{"ref": "refs/heads/topic", "object": map[string]any{"sha": baseSHA}})
	h, _ := newHost(t, f)
	commit := func(files ...codehost.FileChange) (codehost.MadeCommit, error) {
		return h.Commit(t.Context(), testRepo, codehost.NewCommit{Branch: "topic", Head: headSHA, Message: "m", Files: files})
	}
	made, err := commit(codehost.FileChange{Path: "run.sh", Content: []byte("#!/bin/sh\n")}, codehost.FileChange{Path: "b", Content: []byte{0xff}}, codehost.FileChange{Path: "z", Content: []byte("a\x00b")})
	if err != nil || made.ID != baseSHA || made.Parent != headSHA {
		t.Fatalf("%+v, %v", made, err)
	}
	if len(sent.Tree) != 3 || sent.BaseTree != "root" || sent.Tree[0]["mode"] != "100755" || sent.Tree[0]["content"] != "#!/bin/sh\n" || sent.Tree[1]["mode"] != "100644" ||
		sent.Tree[1]["sha"] != "b1" || sent.Tree[1]["content"] != nil || sent.Tree[2]["sha"] != "b1" {
		t.Errorf("sent %+v", sent)
	}
	if _, err := commit(codehost.FileChange{Path: "run.sh", Delete: true}); err != nil {
		t.Error(err)
	} else if sha, there := sent.Tree[0]["sha"]; !there || sha != nil {
		t.Errorf("a deletion sends %+v", sent.Tree[0])
	}
	for path, want := range map[string]codehost.Class{"link": codehost.ClassInvalid, "module": codehost.ClassInvalid, "module/x": codehost.ClassInvalid, "dir": codehost.ClassInvalid,
		"link/x": codehost.ClassInvalid, "dir/x": codehost.ClassTooLarge} {
		if _, err := commit(codehost.FileChange{Path: path, Content: []byte("x")}); codehost.ClassOf(err) != want {
			t.Errorf("%s: %v, want class %s", path, err, want)
		}
	}
	if _, err := commit(codehost.FileChange{Path: strings.Repeat("d/", 400) + "x", Content: []byte("x")}); err != nil {
		t.Errorf("a path of new folders: %v", err)
	}
}

// Objects without a branch have no effect, so that their lost answers are not ambiguous.
func TestLostObjectsAreNoEffect(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET "+gitPath+"/ref/heads/topic", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"ref": "refs/heads/topic", "object": map[string]any{"sha": headSHA}})
	})
	f.on("GET "+gitPath+"/commits/"+headSHA, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"sha": headSHA, "tree": map[string]any{"sha": "root"}})
	})
	f.on("GET "+gitPath+"/trees/root", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"sha": "root", "tree": []any{}})
	})
	f.on("POST "+gitPath+"/trees", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) })
	h, _ := newHost(t, f)
	_, err := h.Commit(t.Context(), testRepo, codehost.NewCommit{Branch: "topic", Head: headSHA, Message: "m", Files: []codehost.FileChange{{Path: "x", Content: []byte("x")}}})
	if codehost.ClassOf(err) != codehost.ClassUnavailable {
		t.Errorf("%v", err)
	}
}
