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

// Bounds of a commit. They are our choice: GitHub takes blobs of 100 MB (REST
// description, "Get a blob"), and Gitea takes bodies of any size.
const (
	MaxCommitFiles   = 100      // files of one commit
	MaxCommitFile    = 1 << 20  // bytes of one file
	maxCommitBytes   = 10 << 20 // bytes of all files of a commit
	MaxCommitMessage = 65_536   // bytes
	MaxBranchName    = 240      // bytes: git stores a branch as a file
	MaxPath          = 1024     // bytes of the path of a file
)

// MaxPullTitle is the most characters of a pull request's title. Gitea's column holds 255
// (models/issues/issue.go), GitHub takes 256.
const MaxPullTitle = 255

// FileChange writes or deletes one file. An existing file keeps its mode; a new file is not executable.
// Adapters do not write through links and submodules.
type FileChange struct {
	Path    string // from the repository's root, with slashes between the parts
	Content []byte // the whole new content
	Delete  bool   // Content is empty if it is set
}

// NewCommit is a commit to make. Its author and committer are our account or app. Message goes to the host
// unchanged, with its trailers. Hosts act on words in it, so the caller must remove words of strangers
// first.
type NewCommit struct {
	Branch  string
	Head    string // the full id of the commit that the branch must point to
	Message string
	Files   []FileChange
}

// MadeCommit is a commit on the host. Parent is the expected commit, unless the host lacks
// [Capabilities.ExactHead] and another push of other files came between the look and the commit.
type MadeCommit struct {
	ID     string
	Parent string
}

// CommitInfo is a commit on the host.
type CommitInfo struct {
	Message string   // text from outside, at most [MaxMessage] bytes
	Parents []string // full ids
}

// NewPull is a pull request to open between two branches of a repository.
type NewPull struct {
	Title, Body markdown.Text
	Branch      string // the branch with the changes
	Base        string
}

// Committer changes branches by API calls, or with git where those cannot, for automatic fixes. A host offers it if it
// has [Capabilities.Commits]; see [CommitterOf].
type Committer interface {
	// BranchHead returns the head commit of a branch. It fails with [ClassNotFound] if the branch does not
	// exist.
	BranchHead(ctx context.Context, repo Repo, branch string) (string, error)
	// Commit makes one commit of all files on a branch whose head is c.Head. Its errors are [ClassStale]
	// (the branch has another head, nothing was made), [ClassNotFound] (the branch or a file to delete is
	// missing), [ClassForbidden] (the branch is protected or closed to us), [ClassInvalid] (a path leads
	// through a file, or names a folder or link) and [ClassAmbiguous] (look with BranchHead).
	Commit(ctx context.Context, repo Repo, c NewCommit) (MadeCommit, error)
	// CreateBranch makes a branch at a commit. It fails with [ClassExists] if any branch has that name, and
	// with [ClassNotFound] if the commit does not exist.
	CreateBranch(ctx context.Context, repo Repo, branch, commit string) error
	// DeleteBranch deletes a branch that points to head. It fails with [ClassStale] if the branch points elsewhere, with [ClassNotFound]
	// if it does not exist, and with [ClassForbidden] if it is protected. On Azure DevOps and Bitbucket Data Center the host compares.
	// Other hosts have no such condition, so there the branch is read in the request before.
	DeleteBranch(ctx context.Context, repo Repo, branch, head string) error
	// CommitAt reads a commit by its full id. It fails with [ClassNotFound] if the commit does not exist.
	CommitAt(ctx context.Context, repo Repo, commit string) (CommitInfo, error)
	// PullsFrom lists the open pull requests whose head is a branch of the repository itself. Callers look
	// here before they open one.
	PullsFrom(ctx context.Context, repo Repo, branch string) ([]PullRequest, error)
	// OpenPull opens a pull request. It fails with [ClassExists] if one is open between the two branches,
	// with [ClassNotFound] if a branch is missing, and on some hosts with [ClassInvalid] if the branch adds
	// nothing.
	OpenPull(ctx context.Context, repo Repo, p NewPull) (PullRequest, error)
}

// CheckCommit returns an [*Error] of [ClassInvalid] if the text is not a full commit id.
func CheckCommit(op, commit string) error {
	if !IsCommit(commit) {
		return Refused(op, "the commit must be a full commit id")
	}
	return nil
}

// CommitterOf returns the Committer of a host. ok is false if the host does not offer it.
func CommitterOf(h Host) (c Committer, ok bool) {
	return optionalInterface[Committer](h, h.Capabilities().Commits)
}

// optionalInterface returns a host as an optional interface. ok is false if has is false or the adapter lacks it.
func optionalInterface[T any](p Publisher, has bool) (v T, ok bool) {
	if !has {
		return v, false
	}
	v, ok = p.(T)
	return v, ok
}

// Check returns an [*Error] of [ClassInvalid] or [ClassTooLarge] if every host would refuse the commit.
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

// validFile reports whether git would take the path as the name of a file.
func validFile(p string) bool {
	if p == "" || len(p) > MaxPath || path.IsAbs(p) || path.Clean(p) != p || !utf8.ValidString(p) ||
		strings.ContainsFunc(p, unicode.IsControl) || strings.Contains(p, `\`) {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

// CheckBranch returns [ClassInvalid] for a name that git refuses for a branch (git-check-ref-format).
func CheckBranch(op, name string) error {
	bad := name == "" || len(name) > MaxBranchName || name == "@" || strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") ||
		!utf8.ValidString(name) ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\") ||
		strings.ContainsFunc(name, unicode.IsControl)
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return Refused(op, "the name of a branch must be one that git takes, of at most %d bytes", MaxBranchName)
	}
	return nil
}

// Check returns an error if every host would refuse the pull request. most is the most characters of the
// title.
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
