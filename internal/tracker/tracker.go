// Package tracker is the port to issue trackers: it defines what we read from an issue, and the two things
// that we write back. Its leaves are the adapters (jira, linear, azureboards). Each is the only package
// that knows the words of its tracker.
//
// Everything that comes from a tracker is text from outside: data, never instructions. Adapters bound it in
// size, depth, count and time, and convert formatted text (ADF, wiki text, HTML) to Markdown. The Markdown
// keeps headings, lists, check boxes and table rows, because acceptance criteria use them.
package tracker

import (
	"context"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// Bounds for reading (design choices). Longer texts are cut, and a field reports it. Lists omit further
// entries.
const (
	MaxText     = 64 << 10 // bytes of a description, or of a criteria field, as Markdown
	MaxComments = 20       // the newest comments of an issue
	MaxComment  = 4 << 10  // bytes of one comment
	MaxProjects = 500      // projects of an account
	MaxLinks    = 50       // links of an issue, or issues of a pull request
	MaxAnswer   = 8 << 20  // bytes of one answer of a tracker
	MaxTitle    = 500      // characters of a title
	MaxKey      = 64       // bytes of an issue key, such as PAY-123 or 4711
)

// Account is the owner of a credential.
type Account struct {
	ID   string // the tracker's id
	Name string // name for people
}

// Project is a project (Jira, Azure Boards) or a team (Linear).
type Project struct {
	Key  string // part before the number in issue keys; for Azure Boards the name
	Name string
}

// Want selects the optional parts of an issue.
type Want struct {
	CriteriaField string // id of the field with acceptance criteria; "" without one
	Comments      bool
	Links         bool // linked pull requests, if they take a separate request
}

// Issue is an issue, or work item.
type Issue struct {
	Key     string // key for people: PAY-123, ENG-4; for Azure Boards the number
	ID      string // the tracker's id, which stays when an issue moves to another project
	Project string // key of its project
	URL     string // address of the page for people
	Type    string // in the tracker's words: Bug, Story, …; "" if the tracker has no types
	State   string // in the tracker's words
	Done    bool   // the tracker counts the state as done
	Title   string
	// Description is Markdown of at most [MaxText] bytes. Cut reports that the text was longer.
	Description string
	Cut         bool
	// Criteria is the text of [Want.CriteriaField] as Markdown. CriteriaKnown reports that the field
	// exists, even if it is empty.
	Criteria      string
	CriteriaKnown bool
	Parent        string // key of the parent; "" without one
	Comments      []Comment
	PullRequests  []string // addresses of pull requests that the tracker links, at most [MaxLinks]; empty if it does not report them
	UpdatedAt     time.Time
}

// Comment is a comment of an issue.
type Comment struct {
	ID     string
	Author string
	Own    bool // written by the credential's account
	Text   string
	At     time.Time
}

// Link is a link from an issue to a pull request.
type Link struct {
	ID    string // our id, at most 255 characters: a repeated link has the same id
	URL   string
	Title string
}

// Reader reads a tracker. Methods are safe for concurrent use, do not retry, and return [*Error]s. A key
// that the tracker cannot have is [ClassNotFound], without a request.
type Reader interface {
	// OwnAccount returns the account of the credential.
	OwnAccount(ctx context.Context) (Account, error)
	// Projects lists the projects that the account sees, at most [MaxProjects], ordered by key.
	Projects(ctx context.Context) ([]Project, error)
	// Issue reads an issue by its key. It fails with [ClassNotFound] if the issue does not exist or is
	// hidden from the account.
	Issue(ctx context.Context, key string, want Want) (Issue, error)
	// Newest reads the n most recently changed issues of a project, newest first. n is at most 20.
	Newest(ctx context.Context, project string, n int, want Want) ([]Issue, error)
	// LinkedTo returns the keys of issues that the tracker links to the pull request at an address, at most
	// [MaxLinks]. It returns nil if the tracker cannot search for them.
	LinkedTo(ctx context.Context, pullRequest string) ([]string, error)
}

// Writer writes back to a tracker. A write with an unknown outcome is [ClassAmbiguous]: the caller looks
// before it writes again.
type Writer interface {
	// FindComment returns the id of our comment with a marker, or "". sure is false if the list of comments
	// is longer than the part that was read, so that the comment may exist.
	FindComment(ctx context.Context, key, marker string) (id string, sure bool, err error)
	// PutComment writes a comment in Markdown and returns its id. It creates a comment if id is "". The
	// marker is in a place where FindComment finds it and people are not disturbed.
	PutComment(ctx context.Context, key, id, text, marker string) (string, error)
	// PutLink links an issue to a pull request. A repeated link changes nothing.
	PutLink(ctx context.Context, key string, link Link) error
}

// Tracker is a Reader and a Writer.
type Tracker interface {
	Reader
	Writer
}

// Config configures an adapter.
type Config struct {
	Kind    domain.ConnectionKind
	BaseURL string // address of the connection, without a trailing slash
	// Client sends the requests. It comes from internal/outbound, which guards addresses.
	Client *http.Client
	// Email belongs to API tokens of Jira Cloud; "" for others.
	Email string
	// Token returns the credential of a request. It is called once per request, may ask the database and,
	// with OAuth, the tracker, and caches the result itself.
	Token func(ctx context.Context) (secret.Secret, error)
	// Bearer reports that Token is an OAuth access token, not a person's key.
	Bearer bool
}

// Hook holds the headers of a delivery. They are not authenticated.
type Hook struct {
	Event    string // in the tracker's words; "" if only the body has it
	Delivery string // the tracker's id of the delivery; "" without one
	Proof    bool   // the delivery has a signature or secret, which may be wrong
}

// Event is the subject of an authenticated delivery. Only its key is used: the issue is read again.
type Event struct {
	Name    string // in the tracker's words
	Key     string // key of the issue; "" if the event is not about an issue
	Project string
	Issue   bool      // about an issue itself: created, changed or deleted
	Deleted bool      // the tracker reports that the issue is gone
	SentAt  time.Time // the tracker's time of sending; zero if it is absent
}

// Hooks reads the deliveries of a kind of tracker. Its functions are pure.
type Hooks struct {
	// Read reads the headers. Its error names the header and never repeats a value.
	Read func(h http.Header) (Hook, error)
	// Verify checks that one of the secrets authenticates the body. Its time does not depend on the
	// matching secret.
	Verify func(h http.Header, body []byte, secrets []secret.Secret) error
	// Parse reads an authenticated body of at most 25 MiB.
	Parse func(h http.Header, body []byte) (Event, error)
}
