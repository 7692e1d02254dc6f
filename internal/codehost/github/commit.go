package github

import (
	"context"
	"encoding/base64"
	"path"
	"strings"
	"unicode/utf8"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxFolders is the most folders that are read for one commit.
const maxFolders = 500

// Modes of entries of a tree (GitHub REST description, "Create a tree").
const (
	modeFile = "100644"
	modeRun  = "100755"
)

var _ codehost.Committer = (*Host)(nil)

// BranchHead implements [codehost.Committer].
func (h *Host) BranchHead(ctx context.Context, repo codehost.Repo, branch string) (string, error) {
	const op = "read branch"
	if err := wire.CheckBranch(op, repo, branch); err != nil {
		return "", err
	}
	var ref *gh.Reference
	err := h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) (err error) {
		ref, _, err = h.client.Git.GetRef(ctx, repo.Owner, repo.Name, "heads/"+branch)
		return err
	})
	if err != nil {
		return "", err
	}
	if sha := ref.GetObject().GetSHA(); ref.GetRef() == "refs/heads/"+branch && codehost.IsCommit(sha) {
		return sha, nil
	}
	return "", &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer is not the branch"}
}

// Commit implements [codehost.Committer]. It writes invisible objects first, then moves the branch by a
// fast-forward. Only that last write is ambiguous when its answer is lost. Commit checks the branch before
// each step, because a fast-forward alone would also restore commits that were removed from the branch.
//
// The GraphQL mutation createCommitOnBranch would compare the head in the same step, but removes the
// executable mode of every file (babarot/gh-infra#167).
func (h *Host) Commit(ctx context.Context, repo codehost.Repo, c codehost.NewCommit) (codehost.MadeCommit, error) {
	const op = "commit"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.MadeCommit{}, err
	}
	if err := c.Check(op); err != nil {
		return codehost.MadeCommit{}, err
	}
	if err := wire.CheckHead(ctx, op, h, repo, c.Branch, c.Head); err != nil {
		return codehost.MadeCommit{}, err
	}
	id, err := h.writeCommit(ctx, op, repo, c)
	if err != nil {
		return codehost.MadeCommit{}, err
	}
	if err := wire.CheckHead(ctx, op, h, repo, c.Branch, c.Head); err != nil {
		return codehost.MadeCommit{}, err
	}
	var ref *gh.Reference
	err = h.run(ctx, h.writeCall(op, repo.Access, scopeWrite), func(ctx context.Context) (err error) {
		ref, _, err = h.client.Git.UpdateRef(ctx, repo.Owner, repo.Name, "heads/"+c.Branch, gh.UpdateRef{SHA: id, Force: gh.Ptr(false)})
		return err
	})
	switch {
	case err != nil:
		// If the branch has the expected head, a rule forbids the fast-forward: GitHub answers both with
		// the same status.
		return codehost.MadeCommit{}, wire.ExplainCommitRefusal(ctx, op, h, repo, c, err, codehost.ClassForbidden)
	case ref.GetObject().GetSHA() != id:
		return codehost.MadeCommit{}, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names another commit"}
	}
	return codehost.MadeCommit{ID: id, Parent: c.Head}, nil
}

// objectCall returns a write without a visible effect: an object outside all branches.
func (h *Host) objectCall(op string, repo codehost.Repo) *wire.Call {
	c := h.installationCall(op, repo.Access, scopeWrite)
	c.Write = true
	return c
}

// writeCommit writes the objects of a commit and returns its id.
func (h *Host) writeCommit(ctx context.Context, op string, repo codehost.Repo, c codehost.NewCommit) (string, error) {
	parent, err := h.gitCommit(ctx, op, repo, c.Head)
	if err != nil {
		return "", err
	}
	base := parent.GetTree().GetSHA()
	at := &folders{host: h, op: op, repo: repo, root: base, known: map[string]map[string]*gh.TreeEntry{}}
	var entries []*gh.TreeEntry
	for _, f := range c.Files {
		e, err := at.change(ctx, f)
		if err != nil {
			return "", err
		}
		entries = append(entries, e)
	}
	var tree *gh.Tree
	err = h.run(ctx, h.objectCall(op, repo), func(ctx context.Context) (err error) {
		tree, _, err = h.client.Git.CreateTree(ctx, repo.Owner, repo.Name, base, entries)
		return err
	})
	if err != nil {
		return "", err
	}
	var made *gh.Commit
	err = h.run(ctx, h.objectCall(op, repo), func(ctx context.Context) (err error) {
		made, _, err = h.client.Git.CreateCommit(ctx, repo.Owner, repo.Name,
			gh.Commit{Message: &c.Message, Tree: &gh.Tree{SHA: tree.SHA}, Parents: []*gh.Commit{{SHA: &c.Head}}}, nil)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case !codehost.IsCommit(made.GetSHA()):
		return "", &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer names no commit"}
	}
	return made.GetSHA(), nil
}

// folders reads the folders of a tree that contain the files, each once.
type folders struct {
	host  *Host
	op    string
	repo  codehost.Repo
	root  string // id of the tree
	known map[string]map[string]*gh.TreeEntry
}

// change returns the tree entry for a change of a file. An existing file keeps its mode.
func (f *folders) change(ctx context.Context, c codehost.FileChange) (*gh.TreeEntry, error) {
	now, err := f.entry(ctx, c.Path)
	if err != nil {
		return nil, err
	}
	e := &gh.TreeEntry{Path: &c.Path, Mode: gh.Ptr(modeFile), Type: gh.Ptr("blob")}
	switch {
	case now == nil && c.Delete:
		return nil, &codehost.Error{Class: codehost.ClassNotFound, Op: f.op, Message: "a file to delete is not there"}
	case now != nil && now.GetMode() != modeFile && now.GetMode() != modeRun:
		return nil, codehost.Refused(f.op, "a path leads to something that is not a file")
	case now != nil:
		e.Mode = now.Mode
	}
	if c.Delete {
		return e, nil
	}
	if text := string(c.Content); utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		e.Content = &text
		return e, nil
	}
	e.SHA, err = f.blob(ctx, c.Content)
	return e, err
}

// blob writes content that is not text, and returns its id.
func (f *folders) blob(ctx context.Context, content []byte) (*string, error) {
	var b *gh.Blob
	err := f.host.run(ctx, f.host.objectCall(f.op, f.repo), func(ctx context.Context) (err error) {
		b, _, err = f.host.client.Git.CreateBlob(ctx, f.repo.Owner, f.repo.Name,
			gh.Blob{Content: gh.Ptr(base64.StdEncoding.EncodeToString(content)), Encoding: gh.Ptr("base64")})
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case b.GetSHA() == "":
		return nil, &codehost.Error{Class: codehost.ClassUnavailable, Op: f.op, Message: "the answer names no blob"}
	}
	return b.SHA, nil
}

// entry returns the entry at a path, or nil.
func (f *folders) entry(ctx context.Context, p string) (*gh.TreeEntry, error) {
	dir, name := path.Split(p)
	list, err := f.list(ctx, strings.TrimSuffix(dir, "/"))
	if err != nil {
		return nil, err
	}
	return list[name], nil
}

// list returns the entries of a folder, or nil if it does not exist.
func (f *folders) list(ctx context.Context, dir string) (map[string]*gh.TreeEntry, error) {
	if list, known := f.known[dir]; known {
		return list, nil
	}
	id := f.root
	if dir != "" {
		e, err := f.entry(ctx, dir)
		switch {
		case err != nil:
			return nil, err
		case e == nil:
			f.known[dir] = nil
			return nil, nil
		case e.GetType() != "tree":
			return nil, codehost.Refused(f.op, "a path leads through something that is not a folder")
		}
		id = e.GetSHA()
	}
	if len(f.known) >= maxFolders {
		return nil, &codehost.Error{Class: codehost.ClassTooLarge, Op: f.op, Message: "the files lie in too many folders"}
	}
	var tree *gh.Tree
	err := f.host.run(ctx, f.host.installationCall(f.op, f.repo.Access, scopeWrite), func(ctx context.Context) (err error) {
		tree, _, err = f.host.client.Git.GetTree(ctx, f.repo.Owner, f.repo.Name, id, false)
		return err
	})
	if err != nil {
		return nil, err
	}
	if tree.GetTruncated() {
		return nil, &codehost.Error{Class: codehost.ClassTooLarge, Op: f.op, Message: "a folder has more entries than the host lists"}
	}
	list := map[string]*gh.TreeEntry{}
	for _, e := range tree.Entries {
		list[e.GetPath()] = e
	}
	f.known[dir] = list
	return list, nil
}
