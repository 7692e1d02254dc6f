package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/snapshot"
)

// target is a variable in which a continuous integration system names the base of a pull request.
type target struct {
	name   string
	commit bool   // it names a commit, else a branch
	only   string // a variable that is set only in jobs for a pull request; "" if name itself is set only there
}

// targets are tried in this order; the first one that exists in the checkout counts.
var targets = []target{
	{name: "GITHUB_BASE_REF"}, // Gitea and Forgejo set it, too
	{name: "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"}, {name: "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME"},
	{name: "CI_MERGE_REQUEST_DIFF_BASE_SHA", commit: true},
	{name: "SYSTEM_PULLREQUEST_TARGETBRANCH"}, {name: "SYSTEM_PULLREQUEST_TARGETBRANCHNAME"},
	{name: "BITBUCKET_PR_DESTINATION_BRANCH"}, {name: "BITBUCKET_PR_DESTINATION_COMMIT", commit: true},
	{name: "CHANGE_TARGET"}, {name: "ghprbTargetBranch"}, {name: "gitlabTargetBranch"}, // Jenkins and two of its plugins
	{name: "BUILDKITE_PULL_REQUEST_BASE_BRANCH"}, {name: "CI_COMMIT_TARGET_BRANCH"}, {name: "DRONE_TARGET_BRANCH"},
	{name: "CODEBUILD_WEBHOOK_BASE_REF"}, {name: "CF_PULL_REQUEST_TARGET"}, {name: "CIRRUS_BASE_BRANCH"}, {name: "CIRRUS_BASE_SHA",
		commit: true},
	{name: "PULL_BASE_REF"}, {name: "PULL_BASE_SHA", commit: true}, {name: "BITRISEIO_GIT_BRANCH_DEST"},
	{name: "TRAVIS_BRANCH", only: "TRAVIS_PULL_REQUEST"}, {name: "APPVEYOR_REPO_BRANCH",
		only: "APPVEYOR_PULL_REQUEST_NUMBER"}, {name: "SEMAPHORE_GIT_BRANCH", only: "SEMAPHORE_GIT_PR_NUMBER"},
}

// variable returns a variable of the environment, or "".
func (o Options) variable(name string) string {
	for _, v := range slices.Backward(o.Environ) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// inPipeline reports whether a continuous integration system runs this process.
func (o Options) inPipeline() bool {
	for _, name := range []string{"CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION", "BUILDKITE", "DRONE",
		"BITBUCKET_BUILD_NUMBER", "CODEBUILD_BUILD_ID"} {
		if v := o.variable(name); v != "" && v != "false" && v != "0" {
			return true
		}
	}
	return false
}

// base is the base of a comparison.
type base struct {
	name, id string
	from     string   // the variable that names it, or ""
	tried    []string // other bases that were tried
	assumed  bool     // it is HEAD because no other base is known
	unknown  bool     // none of the tried bases exists
}

// chooseBase chooses a base if the user does not name one: the target of the pull request in a pipeline,
// else the default branch of a remote, else main or master unless it is checked out, else HEAD.
func (o Options) chooseBase(ctx context.Context, l *snapshot.Local) (base, error) {
	unborn, err := l.Unborn(ctx)
	if err != nil {
		return base{}, err
	}
	if unborn {
		return base{name: emptyName, id: l.EmptyTree()}, nil
	}
	head, err := resolve(ctx, l, "HEAD")
	if err != nil {
		return base{}, err
	}
	if b, found, err := o.target(ctx, l); found || err != nil {
		return b, err
	}
	b := base{name: "HEAD", id: head, assumed: true, unknown: true}
	remotes := remotesOf(l)
	for _, r := range remotes {
		b.tried = append(b.tried, r+"/HEAD", r+"/main", r+"/master")
	}
	b.tried = append(b.tried, "main", "master")
	for i, name := range b.tried {
		ref := "refs/heads/" + name
		if i < 3*len(remotes) {
			ref = "refs/remotes/" + name
		}
		switch id, err := l.Commit(ctx, ref); {
		case errs.Is(err, errs.NotFound):
		case err != nil:
			return base{}, err
		case id != head:
			return base{name: name, id: id}, nil
		default:
			b.unknown = false
		}
	}
	return b, nil
}

// emptyName is the base of a first commit, for people.
const emptyName = "the empty tree"

// remotesOf lists the remotes, origin first.
func remotesOf(l *snapshot.Local) []string {
	return append([]string{"origin"}, slices.DeleteFunc(slices.Clone(l.Remotes), func(r string) bool { return r == "origin" })...)
}

// target finds the target of the pull request that a pipeline runs for.
func (o Options) target(ctx context.Context, l *snapshot.Local) (b base, found bool, err error) {
	var named, tried []string
	branch := ""
	for _, t := range targets {
		v := strings.TrimPrefix(strings.TrimSpace(o.variable(t.name)), "refs/heads/")
		elsewhere := t.only != "" && (o.variable(t.only) == "" || o.variable(t.only) == "false")
		if v == "" || elsewhere || t.name == "DRONE_TARGET_BRANCH" && o.otherEvent() {
			continue
		}
		names, refs := []string{v}, []string{v}
		if !t.commit {
			branch, names, refs = v, nil, nil
			for _, r := range remotesOf(l) {
				names, refs = append(names, r+"/"+strings.TrimPrefix(v, r+"/")), append(refs, "refs/remotes/"+r+"/"+strings.TrimPrefix(v, r+"/"))
			}
			names, refs = append(names, v), append(refs, "refs/heads/"+v)
		}
		named = append(named, t.name)
		for i, ref := range refs {
			id, err := l.Commit(ctx, ref)
			switch {
			case err == nil:
				return base{name: names[i], id: id, from: t.name}, true, nil
			case !errs.Is(err, errs.NotFound) && !errs.Is(err, errs.Malformed):
				return base{}, false, err
			}
			if !slices.Contains(tried, names[i]) {
				tried = append(tried, names[i])
			}
		}
	}
	if len(named) == 0 {
		return base{}, false, nil
	}
	return base{}, false, fmt.Errorf("no base to compare with: %s names one that this checkout does not have (tried %s): fetch it "+
		"with `%s`, or name another with --base",
		strings.Join(named, " and "), strings.Join(tried, ", "), fetchCommand(ctx, l, mainRemote(l), branch))
}

// otherEvent reports whether Drone runs this process for another event than a pull request. Its variable
// then names the built branch.
func (o Options) otherEvent() bool {
	event := o.variable("DRONE_BUILD_EVENT")
	return event != "" && event != "pull_request"
}

// noBaseError returns the error for a missing base.
func (b base) noBaseError(ctx context.Context, l *snapshot.Local) error {
	first := ""
	if l.Shallow {
		first = ", and fetch it before, because this clone is shallow: `" + fetchCommand(ctx, l, mainRemote(l), "HEAD") + "`"
	}
	return fmt.Errorf("no base to compare with: %s are unknown here or are the commit that is checked out, and nothing is "+
		"uncommitted: name a branch, a tag or a commit with --base, for example --base origin/main%s",
		strings.Join(b.tried, ", "), first)
}

// refuseEmpty refuses an empty change against a guessed base, because it proves nothing. It also notes when a
// comparison proves less than it seems to.
func (o Options) refuseEmpty(ctx context.Context, l *snapshot.Local, b base, c *comparison) error {
	empty := len(c.Raw) == 0 && len(c.LeftOut) == 0
	if empty && len(c.paths) > 0 { // perhaps only these paths are unchanged
		all, err := l.Worktree(ctx, b.id)
		if err != nil {
			return err
		}
		empty = len(all.Raw) == 0 && len(all.LeftOut) == 0
	}
	head, err := l.Commit(ctx, "HEAD")
	switch {
	case errs.Is(err, errs.NotFound) && empty && (o.inPipeline() || len(l.Remotes) > 0):
		return errors.New("there is nothing to compare: no commit is checked out and there is no file: check out the head of the pull " +
			"request, or name commits with --range A..B")
	case errs.Is(err, errs.NotFound): // a first commit
		return nil
	case err != nil:
		return err
	case empty && b.assumed && !b.unknown && len(l.Remotes) == 0 && !o.inPipeline() && !isDetached(ctx, l):
		return nil // the branch is itself the base of others, and nothing else is known to compare it with
	case empty && b.assumed:
		return b.noBaseError(ctx, l)
	case b.id != l.EmptyTree() && c.MergeBase == head && !b.assumed && (b.from != "" || o.inPipeline()):
		why := fmt.Sprintf("%s%s has all of the commit that is checked out: check out the head of the pull request, or name another "+
			"base with --base", b.name, b.variableNote())
		if empty {
			return errors.New("there is nothing to compare: " + why)
		}
		c.gap = "Only what is not committed was reviewed, because " + why + "."
	case b.assumed && (o.inPipeline() || b.unknown && isDetached(ctx, l)):
		c.gap = "Only what is not committed was reviewed, because no base is known (" + strings.Join(b.tried, ", ") + "): name one with --base."
	case b.assumed && b.unknown:
		c.notes = append(c.notes, "Only what is not committed was reviewed, because no base is known: --base names one.")
	}
	return nil
}

// variableNote returns the variable that names the base, in parentheses.
func (b base) variableNote() string {
	if b.from == "" {
		return ""
	}
	return " (" + b.from + ")"
}

// isDetached reports whether no branch is checked out.
func isDetached(ctx context.Context, l *snapshot.Local) bool {
	on, err := l.OnBranch(ctx)
	return err == nil && !on
}

// resolve turns a revision into a commit id.
func resolve(ctx context.Context, l *snapshot.Local, rev string) (string, error) {
	id, err := l.Commit(ctx, rev)
	switch {
	case errs.Is(err, errs.Malformed):
		return "", fmt.Errorf("%q is not a revision: name a branch, a tag or a commit", rev)
	case errs.Is(err, errs.NotFound) && rev == "HEAD":
		return "", errors.New("the branch that is checked out has no commit yet: leave --base and --range out, and it is compared with " +
			"the empty tree")
	case errs.Is(err, errs.NotFound):
		return "", fmt.Errorf("there is no commit %q in this repository: fetch it%s, or name another revision", rev, fetchHint(ctx, l, rev))
	}
	return id, err
}

// relationError explains the error for two revisions without a common ancestor.
func relationError(ctx context.Context, l *snapshot.Local, err error, a, b string) error {
	known, is := errors.AsType[*errs.Error](err)
	switch {
	case errs.Is(err, errs.NotFound) && l.Shallow:
		remote, branch := remoteBranch(l, a)
		return fmt.Errorf("%s and %s have no common ancestor here, because this clone is shallow: fetch the history of both with `%s`", a, b,
			fetchCommand(ctx, l, cmp.Or(remote, mainRemote(l)), branch))
	case errs.Is(err, errs.NotFound):
		return fmt.Errorf("%s and %s have no common ancestor: to review all of %s, name the empty tree %s in place of %s", a, b, b,
			l.EmptyTree(), a)
	case is && known.Kind != errs.Internal:
		return errors.New(known.Message)
	}
	return err
}
