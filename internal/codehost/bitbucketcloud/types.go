package bitbucketcloud

import (
	"cmp"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
)

// The shapes below hold only the fields that we read, of answers and of webhooks, which have the same objects (the description;
// support.atlassian.com/bitbucket-cloud/docs/event-payloads, "Common entities for event payloads").

// uuidForm matches a UUID without braces. Ids of other forms are not the host's.
var uuidForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{0,63}$`)

type link struct {
	HTML struct {
		Href string `json:"href"`
	} `json:"html"`
}

type user struct {
	UUID     string `json:"uuid"`
	Nickname string `json:"nickname"`
	Display  string `json:"display_name"`
	Type     string `json:"type"` // user, team, or app_user for an access token or an app
}

func (u *user) id() domain.HostID {
	if u == nil {
		return ""
	}
	return hostID(u.UUID)
}

// login returns the nickname. Accounts of tokens and workspaces have only a name.
func (u *user) login() string {
	if u == nil {
		return ""
	}
	return cmp.Or(u.Nickname, u.Display, string(u.id()))
}

func (u *user) isApp() bool { return u != nil && u.Type == appUser }

// appUser is the type of the account of an access token or an app.
const appUser = "app_user"

func (u *user) sender() codehost.Sender {
	return codehost.Sender{Login: u.login(), ID: u.id(), IsBot: u.isApp()}
}

type repository struct {
	UUID      string     `json:"uuid"`
	FullName  string     `json:"full_name"`
	Private   *bool      `json:"is_private"`
	CreatedOn *time.Time `json:"created_on"`
	Main      *struct {
		Name string `json:"name"`
	} `json:"mainbranch"`
	Workspace *struct {
		UUID string `json:"uuid"`
		Slug string `json:"slug"`
	} `json:"workspace"`
	Owner *user `json:"owner"`
}

// info converts a repository. One without the field is_private counts as private.
func (r *repository) info() codehost.RepoInfo {
	out := codehost.RepoInfo{ExternalID: hostID(r.UUID), Private: r.Private == nil || *r.Private, CreatedAt: codehost.TimeOrZero(r.CreatedOn)}
	out.Owner, out.Name, _ = strings.Cut(r.FullName, "/")
	if r.Main != nil {
		out.DefaultBranch = r.Main.Name
	}
	return out
}

// ownerID returns the id of the workspace. Older payloads have only the owner, with the same id.
func (r *repository) ownerID() domain.HostID {
	if r.Workspace != nil {
		return hostID(r.Workspace.UUID)
	}
	return r.Owner.id()
}

type endpoint struct {
	Repository *repository `json:"repository"`
	Branch     struct {
		Name string `json:"name"`
	} `json:"branch"`
	Commit *commitRef `json:"commit"`
}

type commitRef struct {
	Hash    string `json:"hash"`
	Message string `json:"message"`
	Parents []struct {
		Hash string `json:"hash"`
	} `json:"parents"`
	Date *time.Time `json:"date"`
}

// hash returns the id of the commit, which is usually short: "source" and "destination" of a pull request have twelve digits.
func (e endpoint) hash() string {
	if e.Commit == nil {
		return ""
	}
	return e.Commit.Hash
}

type participant struct {
	User  *user  `json:"user"`
	Role  string `json:"role"`
	State string `json:"state"`
}

type pull struct {
	ID           int           `json:"id"`
	Title        string        `json:"title"`
	Description  string        `json:"description"`
	State        string        `json:"state"` // OPEN, MERGED, DECLINED, SUPERSEDED
	Draft        bool          `json:"draft"`
	Author       *user         `json:"author"`
	Source       endpoint      `json:"source"`
	Destination  endpoint      `json:"destination"`
	Merge        *commitRef    `json:"merge_commit"`
	Reviewers    []user        `json:"reviewers"`
	Participants []participant `json:"participants"`
	ClosedBy     *user         `json:"closed_by"`
	CreatedOn    *time.Time    `json:"created_on"`
	UpdatedOn    *time.Time    `json:"updated_on"`
	Links        link          `json:"links"`
}

// pullRequest converts a pull request with the short ids of its commits. A head in a repository that was deleted counts as one of a
// fork.
func (p *pull) pullRequest() codehost.PullRequest {
	out := codehost.PullRequest{Number: p.ID, Title: p.Title, Body: p.Description, URL: p.Links.HTML.Href, Author: p.Author.login(),
		AuthorID: p.Author.id(), AuthorIsBot: p.Author.isApp(), Open: p.State == "OPEN", Merged: p.State == "MERGED", Draft: p.Draft,
		HeadSHA: p.Source.hash(), HeadRef: p.Source.Branch.Name, BaseSHA: p.Destination.hash(), BaseRef: p.Destination.Branch.Name,
		CreatedAt: codehost.TimeOrZero(p.CreatedOn), UpdatedAt: codehost.TimeOrZero(p.UpdatedOn)}
	source, target := p.Source.Repository, p.Destination.Repository
	out.FromFork = source == nil || target == nil || hostID(source.UUID) == "" || hostID(source.UUID) != hostID(target.UUID)
	return out
}

type content struct {
	Raw string `json:"raw"`
}

// place is the place of an inline comment. To and StartTo are lines of the new file, From and StartFrom lines of the old file. Outdated
// is not in the description; the host sends it if a push changed the lines.
type place struct {
	Path      string `json:"path"`
	From      *int   `json:"from,omitempty"`
	To        *int   `json:"to,omitempty"`
	StartFrom *int   `json:"start_from,omitempty"`
	StartTo   *int   `json:"start_to,omitempty"`
	Outdated  bool   `json:"outdated,omitempty"`
}

// lines returns the side and the first and last line. A comment on a line that did not change may have both numbers; the new one
// counts.
func (p *place) lines() (side domain.Side, first, last int) {
	side, start, end := domain.Right, p.StartTo, p.To
	if end == nil && p.From != nil {
		side, start, end = domain.Left, p.StartFrom, p.From
	}
	if end == nil || *end <= 0 {
		return side, 0, 0
	}
	if first, last = *end, *end; start != nil && *start > 0 && *start < last {
		first = *start
	}
	return side, first, last
}

type comment struct {
	ID         int64      `json:"id"`
	Content    content    `json:"content"`
	User       *user      `json:"user"`
	Inline     *place     `json:"inline"`
	Parent     *parent    `json:"parent"`
	Deleted    bool       `json:"deleted"`
	Pending    bool       `json:"pending"`
	CreatedOn  *time.Time `json:"created_on"`
	UpdatedOn  *time.Time `json:"updated_on"`
	Resolution *struct {
		User *user `json:"user"`
	} `json:"resolution"`
	Links link `json:"links"`
	Pull  *struct {
		ID int `json:"id"`
	} `json:"pullrequest"`
}

type parent struct {
	ID int64 `json:"id"`
}

// isShown reports whether people see the comment. A deleted comment stays in lists, without its text, and one that is pending waits for
// its author.
func (c *comment) isShown() bool { return c.ID > 0 && !c.Deleted && !c.Pending }
