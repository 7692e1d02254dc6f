package codehost

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/markdown"
)

// Bounds of a commit that is made by calls. They are ours: GitHub takes blobs of
// 100 MB (REST description, "Get a blob"), and Gitea bodies of any size.
const (
	MaxCommitFiles   = 100      // files of one commit
	MaxCommitFile    = 1 << 20  // bytes of one file
	maxCommitBytes   = 10 << 20 // bytes of all files of a commit
	MaxCommitMessage = 65_536   // bytes
	MaxBranchName    = 240      // bytes: git keeps a branch as a file
	MaxPath          = 1024     // bytes of the path of a file
)

// MaxPullTitle is the most characters of a title of a pull request: Gitea's column
// holds 255 (models/issues/issue.go), GitHub takes 256.
const MaxPullTitle = 255

// FileChange writes or deletes one file. A file that is there keeps its mode; a new
// one cannot be executed. Links and submodules are not written through.
type FileChange struct {
	Path    string // from the repository's root, parts joined by slashes
	Content []byte // the whole file as it shall be
	Delete  bool   // then Content is empty
}

// NewCommit is a commit to make. Author and committer are the account or app that
// we act as. Message, trailers included, goes to the host as it is: hosts act on
// words in it, so that words of strangers must have been taken out of it.
type NewCommit struct {
	Branch  string
	Head    string // the full id of the commit that the branch must point to
	Message string
	Files   []FileChange
}

// MadeCommit is a commit that was made. Parent is the commit that it stands on:
// the expected one, except where the host is without [Capabilities.ExactHead] and
// somebody pushed other files in the moment between look and commit.
type MadeCommit struct {
	ID     string
	Parent string
}

// NewPull is a pull request to open between two branches of a repository.
type NewPull struct {
	Title, Body markdown.Text
	Branch      string // with the changes
	Base        string
}

// Committer changes branches by calls, without git: for fixes, which come later. A
// host offers it where it has [Capabilities.Commits]; see [CommitterOf].
type Committer interface {
	// BranchHead returns the commit that a branch points to; [ClassNotFound] where
	// there is no such branch.
	BranchHead(ctx context.Context, repo Repo, branch string) (string, error)
	// Commit makes one commit of all files on a branch that points to c.Head.
	// [ClassStale]: it points elsewhere, and nothing was made. [ClassNotFound]: the
	// branch, or a file to delete, is not there. [ClassForbidden]: the branch is
	// protected, or not ours to write. [ClassInvalid]: a path that leads through a
	// file, or to something that is no file. [ClassAmbiguous]: look with BranchHead.
	Commit(ctx context.Context, repo Repo, c NewCommit) (MadeCommit, error)
	// CreateBranch makes a branch at a commit. [ClassExists]: there is one of that
	// name, wherever it points; [ClassNotFound]: there is no such commit.
	CreateBranch(ctx context.Context, repo Repo, branch, commit string) error
	// PullsFrom lists the open pull requests whose head is a branch of the
	// repository itself: what is looked at before one is opened.
	PullsFrom(ctx context.Context, repo Repo, branch string) ([]PullRequest, error)
	// OpenPull opens a pull request. [ClassExists]: one is open between the two
	// branches. [ClassNotFound]: a branch is not there. [ClassInvalid]: it has nothing
	// new, where the host cares.
	OpenPull(ctx context.Context, repo Repo, p NewPull) (PullRequest, error)
}

// CommitterOf returns what makes commits on a host; ok is false where it cannot.
func CommitterOf(h Host) (c Committer, ok bool) {
	return verbs[Committer](h, h.Capabilities().Commits)
}

// verbs is a host seen as an interface that not every host has.
func verbs[T any](h Host, has bool) (v T, ok bool) {
	if !has {
		return v, false
	}
	v, ok = h.(T)
	return v, ok
}

// Check returns the reason for which no host would be asked to make the commit, as
// an [*Error] of [ClassInvalid] or [ClassTooLarge].
func (c NewCommit) Check(op string) error {
	if err := CheckBranch(op, c.Branch); err != nil {
		return err
	}
	switch {
	case !IsCommit(c.Head):
		return Refused(op, "the expected head must be a full commit id")
	case strings.TrimSpace(c.Message) == "" || !utf8.ValidString(c.Message) || strings.ContainsRune(c.Message, 0):
		return Refused(op, "a commit needs a message, of valid text")
	case len(c.Message) > MaxCommitMessage:
		return tooLarge(op, "the message is longer than %d bytes", MaxCommitMessage)
	case len(c.Files) == 0:
		return Refused(op, "a commit changes at least one file")
	case len(c.Files) > MaxCommitFiles:
		return tooLarge(op, "a commit changes at most %d files", MaxCommitFiles)
	}
	total, paths := 0, make([]string, 0, len(c.Files))
	for _, f := range c.Files {
		total += len(f.Content)
		switch {
		case !validFile(f.Path):
			return Refused(op, "a path must be relative to the repository's root, must not climb, and must not be git's own")
		case f.Delete && len(f.Content) > 0:
			return Refused(op, "a file that is deleted has no content")
		case len(f.Content) > MaxCommitFile:
			return tooLarge(op, "a file is larger than %d bytes", MaxCommitFile)
		case total > maxCommitBytes:
			return tooLarge(op, "the files are larger than %d bytes together", maxCommitBytes)
		}
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	known := map[string]bool{}
	for i, p := range paths {
		if i > 0 && paths[i-1] == p {
			return Refused(op, "a path is there twice")
		}
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if known[dir] {
				return Refused(op, "a path is the folder of another")
			}
		}
		known[p] = true
	}
	return nil
}

// validFile reports whether a path names a file that git would take.
func validFile(p string) bool {
	if p == "" || len(p) > MaxPath || path.IsAbs(p) || path.Clean(p) != p || !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl) || strings.Contains(p, `\`) {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

// CheckBranch refuses what is no name of a branch (git-check-ref-format), as
// [ClassInvalid].
func CheckBranch(op, name string) error {
	bad := name == "" || len(name) > MaxBranchName || name == "@" || strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") || !utf8.ValidString(name) ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\") || strings.ContainsFunc(name, unicode.IsControl)
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return Refused(op, "the name of a branch must be one that git takes, of at most %d bytes", MaxBranchName)
	}
	return nil
}

// Check returns the reason for which no host would be asked to open the pull
// request.
func (p NewPull) Check(op string, most int) error {
	for _, branch := range []string{p.Branch, p.Base} {
		if err := CheckBranch(op, branch); err != nil {
			return err
		}
	}
	title := p.Title.String()
	switch {
	case p.Branch == p.Base:
		return Refused(op, "a pull request needs two branches")
	case strings.TrimSpace(title) == "" || strings.ContainsFunc(title, unicode.IsControl):
		return Refused(op, "a pull request needs a title of one line")
	case utf8.RuneCountInString(title) > MaxPullTitle:
		return tooLarge(op, "the title is longer than %d characters", MaxPullTitle)
	case most > 0 && utf8.RuneCountInString(p.Body.String()) > most:
		return tooLarge(op, "the text is longer than %d characters", most)
	}
	return nil
}

func tooLarge(op, format string, args ...any) *Error {
	return &Error{Class: ClassTooLarge, Op: op, Message: fmt.Sprintf(format, args...)}
}
