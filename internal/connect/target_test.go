package connect_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A snapshot also has the commit of the target branch, from the same fetch. If the host does not have that
// commit, the change is read without it.
func TestTheCommitOfTheTargetBranch(t *testing.T) {
	t.Parallel()
	dir, address := bareServed(t)
	commit := func(content string) string {
		blob := testkit.GitFed(t, dir, content, "hash-object", "-w", "--stdin")
		tree := testkit.GitFed(t, dir, "100644 blob "+blob+"\tAGENTS.md\n", "mktree")
		sha := testkit.Git(t, dir, "commit-tree", "-m", "x", tree)
		testkit.Git(t, dir, "update-ref", "refs/heads/"+sha, sha)
		return sha
	}
	mergeBase, head, target := commit("old"), commit("new"), commit("current")
	host := strings.TrimPrefix(address, "http://")
	for name, tt := range map[string]struct{ target, want string }{"it is there": {target, "current"}, "it is gone": {storetest.SHA("gone"), ""}} {
		t.Run(name, func(t *testing.T) {
			gate := &codehosttest.Gate{}
			sn := &connect.Snapshots{Gate: gate, Factory: outbound.New(outbound.Policy{AllowedHosts: []string{host}, AllowHTTP: true}),
				Cache: &snapshot.Cache{Dir: t.TempDir()}, Logger: slog.New(slog.DiscardHandler)}
			snap, err := sn.Open(t.Context(), &reader{url: address + "/r.git"}, number7, 1, mergeBase, head, tt.target)
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			if raw, err := snap.Diff(t.Context()); err != nil || !strings.Contains(string(raw), "-old") || snap.Notice() != "" {
				t.Errorf("diff %s, %v", raw, err)
			}
			at := snap.At(tt.target)
			if (at != nil) != (tt.want != "") {
				t.Fatalf("the version is %v", at)
			}
			if at == nil {
				return
			}
			if b, err := at.Blob(t.Context(), "AGENTS.md"); err != nil || string(b) != tt.want {
				t.Errorf("read %q, %v", b, err)
			}
			if n := len(gate.Events()); n != 2 {
				t.Errorf("%d events of the gate: %+v", n, gate.Events())
			}
		})
	}
}

// Single files are read through the host's API, and nothing is listed.
func TestTheTargetBranchThroughTheHost(t *testing.T) {
	t.Parallel()
	url, _ := remote(t, 403)
	snap, err := opening(t, &codehosttest.Gate{}, &reader{url: url}, url)
	if err != nil {
		t.Fatal(err)
	}
	at := snap.At(storetest.SHA("any"))
	if _, err := at.List(t.Context(), "AGENTS.md"); err == nil {
		t.Error("the host has listed files")
	}
	if b, err := at.Blob(t.Context(), "a"); err != nil || len(b) == 0 {
		t.Errorf("read %q, %v", b, err)
	}
}
