package host

import (
	"context"

	"github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// CodeHost holds the commands of every simulated code host's control interface.
type CodeHost interface {
	demo.Host
	UpdateUser(ctx context.Context, login string, in simapi.UserUpdate) error
	GetPull(ctx context.Context, repo string, number int) (simapi.Pull, error)
	UpdatePull(ctx context.Context, repo string, number int, in simapi.PullUpdate) (simapi.Pull, error)
	Comment(ctx context.Context, repo string, number int, in simapi.CommentSpec) (simapi.Comment, error)
	React(ctx context.Context, repo string, number int, in simapi.ReactionSpec) (simapi.Comment, error)
	Comments(repo string, number int) ([]simapi.Comment, error)
	Reply(ctx context.Context, repo string, number int, in simapi.ReplySpec) (simapi.Comment, error)
	EditComment(ctx context.Context, repo string, id int64, in simapi.EditSpec) error
	// ApplySuggestion makes a commit of the only suggestion of a comment on lines, like a person on the page.
	ApplySuggestion(ctx context.Context, repo string, number int, in simapi.SuggestionSpec) (simapi.Commit, error)
	AddRun(ctx context.Context, repo string, in simapi.RunSpec) (simapi.Run, error)
	OpenIssue(ctx context.Context, repo string, in simapi.IssueSpec) (simapi.Issue, error)
}

// RepoPath and PullPath are the paths of a repository and of a pull request in the control interface.
const (
	RepoPath = "/_sim/repos/{owner}/{repo}"
	PullPath = RepoPath + "/pulls/{number}"
)

// CodeHost adds the routes that all code hosts share.
func (c *Control) CodeHost(h CodeHost) {
	c.Handle("POST /_sim/users", Returns(h.CreateUser))
	c.Handle("PATCH /_sim/users/{login}", DoesFor(PathValue("login"), h.UpdateUser))
	c.Handle("POST /_sim/repos", Returns(h.CreateRepo))
	c.Handle("POST "+RepoPath+"/commits", ReturnsFor((*Command).Repo, h.Commit))
	c.Handle("POST "+RepoPath+"/runs", ReturnsFor((*Command).Repo, h.AddRun))
	c.Handle("POST "+RepoPath+"/issues", ReturnsFor((*Command).Repo, h.OpenIssue))
	c.Handle("POST "+RepoPath+"/pulls", ReturnsFor((*Command).Repo, h.OpenPull))
	c.Handle("GET "+PullPath, func(cmd *Command) (any, error) { return h.GetPull(cmd.R.Context(), cmd.Repo(), cmd.Pull()) })
	c.Handle("PATCH "+PullPath, ReturnsForPull(h.UpdatePull))
	c.Handle("POST "+PullPath+"/comments", ReturnsForPull(h.Comment))
	c.Handle("POST "+PullPath+"/reactions", ReturnsForPull(h.React))
	c.Handle("GET /_sim/pulls/{owner}/{repo}/{number}/comments", ListsOfPull(h.Comments))
	c.Handle("POST "+PullPath+"/replies", ReturnsForPull(h.Reply))
	c.Handle("POST "+PullPath+"/suggestions", ReturnsForPull(h.ApplySuggestion))
	c.Handle("PATCH "+RepoPath+"/comments/{id}", func(cmd *Command) (any, error) {
		return DoesFor((*Command).Repo, func(ctx context.Context, repo string, in simapi.EditSpec) error {
			return h.EditComment(ctx, repo, cmd.ID("id"), in)
		})(cmd)
	})
	c.Handle("POST /_sim/seed", Does(func(ctx context.Context, in struct{ Name string }) error { return demo.Seed(ctx, h, in.Name) }))
}

// Returns makes a handler of a method that takes the body and returns a value.
func Returns[In, Out any](f func(context.Context, In) (Out, error)) Handler {
	return func(c *Command) (any, error) {
		in, err := decode[In](c)
		if err != nil {
			return nil, err
		}
		return f(c.R.Context(), in)
	}
}

// ReturnsFor is [Returns] for a method that also takes a part of the path.
func ReturnsFor[Key, In, Out any](key func(*Command) Key, f func(context.Context, Key, In) (Out, error)) Handler {
	return func(c *Command) (any, error) {
		return Returns(func(ctx context.Context, in In) (Out, error) { return f(ctx, key(c), in) })(c)
	}
}

// ReturnsForPull is [Returns] for a method that also takes the pull request of the path.
func ReturnsForPull[In, Out any](f func(ctx context.Context, repo string, number int, in In) (Out, error)) Handler {
	return func(c *Command) (any, error) {
		return Returns(func(ctx context.Context, in In) (Out, error) { return f(ctx, c.Repo(), c.Pull(), in) })(c)
	}
}

// Does makes a handler of a method that takes the body and returns no value.
func Does[In any](f func(context.Context, In) error) Handler {
	return func(c *Command) (any, error) {
		in, err := decode[In](c)
		if err != nil {
			return nil, err
		}
		return nil, f(c.R.Context(), in)
	}
}

// DoesFor is [Does] for a method that also takes a part of the path.
func DoesFor[Key, In any](key func(*Command) Key, f func(context.Context, Key, In) error) Handler {
	return func(c *Command) (any, error) {
		return Does(func(ctx context.Context, in In) error { return f(ctx, key(c), in) })(c)
	}
}

// ActsOn makes a handler of a method that takes the id in the path.
func ActsOn(f func(ctx context.Context, id int64) error) Handler {
	return func(c *Command) (any, error) { return nil, f(c.R.Context(), c.ID("id")) }
}

// Settings makes a handler of the method that replaces the settings. The handler answers with the new
// settings.
func Settings[S any](configure func(S) error) Handler {
	return Returns(func(_ context.Context, in S) (S, error) { return in, configure(in) })
}

// ListsOf makes a handler of a method that lists objects of the repository in the path.
func ListsOf[Out any](f func(repo string) (Out, error)) Handler {
	return func(c *Command) (any, error) { return f(c.Repo()) }
}

// ListsOfPull makes a handler of a method that lists objects of the pull request in the path.
func ListsOfPull[Out any](f func(repo string, number int) (Out, error)) Handler {
	return func(c *Command) (any, error) { return f(c.Repo(), c.Pull()) }
}

// PathValue reads a variable of the path.
func PathValue(name string) func(*Command) string {
	return func(c *Command) string { return c.R.PathValue(name) }
}
