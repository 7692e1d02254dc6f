package simapi

// Request is the record of one request. Times are microseconds since 1970 on the simulator's own clock.
type Request struct {
	Seq       int64  `json:"seq"`
	ArrivedUS int64  `json:"arrivedUs"`
	RepliedUS int64  `json:"repliedUs,omitempty"`
	AppliedUS int64  `json:"appliedUs,omitempty"`
	Method    string `json:"method"`
	// Path is the path without the prefix of the REST interface.
	Path  string `json:"path"`
	Query string `json:"query,omitempty"`
	// Route is the pattern that matched, for example "/repos/{owner}/{repo}/pulls/{number}/reviews".
	Route string `json:"route,omitempty"`
	// Operation is the name of the mutation or query of a GraphQL request.
	Operation string `json:"operation,omitempty"`
	// Actor is the authenticated login (a person, a bot, "app:<slug>" for an app's own token); empty for
	// anonymous requests.
	Actor          string `json:"actor,omitempty"`
	InstallationID int64  `json:"installationId,omitempty"`
	UserAgent      string `json:"userAgent,omitempty"`
	BodySHA256     string `json:"bodySha256,omitempty"`
	// Body is stored for writes (not for token requests) and returned only on demand.
	Body string `json:"body,omitempty"`
	// Status is the status of the answer, sent or not; 0 if there was no answer.
	Status int `json:"status"`
	// Write reports whether the route changes something, Applied whether this request did.
	Write   bool   `json:"write"`
	Applied bool   `json:"applied"`
	FaultID string `json:"faultId,omitempty"`
	// ClientGone reports whether the client disconnected before an answer could be written.
	ClientGone bool `json:"clientGone,omitempty"`
}

// Write is the record of one written object.
type Write struct {
	Seq int64 `json:"seq"`
	// AtUS is the time of the effect.
	AtUS int64 `json:"atUs"`
	// Kind is for example "review", "review.submit", "review_comment", "issue_comment", "check_run", "status".
	Kind string `json:"kind"`
	// Verb is "create", "update", "delete".
	Verb       string `json:"verb"`
	ID         int64  `json:"id"`
	Repository string `json:"repository"`
	Number     int    `json:"number,omitempty"`
	Actor      string `json:"actor"`
	RequestSeq int64  `json:"requestSeq,omitempty"`
}

// Review is a review with its comments, pending ones included.
type Review struct {
	ID          int64     `json:"id"`
	User        string    `json:"user"`
	State       string    `json:"state"`
	Body        string    `json:"body"`
	CommitID    string    `json:"commitId"`
	CreatedUS   int64     `json:"createdUs"`
	SubmittedUS int64     `json:"submittedUs,omitempty"`
	EditedUS    int64     `json:"editedUs,omitempty"`
	HTMLURL     string    `json:"htmlUrl"`
	Comments    []Comment `json:"comments"`
}

// Comment is an inline comment or, with an empty Path, a comment of the conversation.
type Comment struct {
	ID        int64  `json:"id"`
	ReviewID  int64  `json:"reviewId,omitempty"`
	User      string `json:"user"`
	Path      string `json:"path,omitempty"`
	Side      string `json:"side,omitempty"`
	Line      int    `json:"line,omitempty"`
	StartLine int    `json:"startLine,omitempty"`
	InReplyTo int64  `json:"inReplyTo,omitempty"`
	Body      string `json:"body"`
	Resolved  bool   `json:"resolved,omitempty"`
	CreatedUS int64  `json:"createdUs"`
	EditedUS  int64  `json:"editedUs,omitempty"`

	Reactions []Reaction `json:"reactions,omitempty"` // of inline comments
}

// Reaction is a reaction of an account to a comment, in the host's word.
type Reaction struct {
	User    string `json:"user"`
	Content string `json:"content"`
}

// Delivery is a webhook delivery. A redelivery is a new row, with the same GUID if the host keeps it.
type Delivery struct {
	ID   int64  `json:"id"`
	GUID string `json:"guid"`
	// AppID is the app or webhook of the delivery.
	AppID       int64             `json:"appId"`
	Event       string            `json:"event"`
	Action      string            `json:"action,omitempty"`
	Redelivery  bool              `json:"redelivery"`
	CreatedUS   int64             `json:"createdUs"`
	DeliveredUS int64             `json:"deliveredUs,omitempty"`
	DurationMS  int64             `json:"durationMs"`
	Status      string            `json:"status"`
	StatusCode  int               `json:"statusCode"`
	Done        bool              `json:"done"`
	URL         string            `json:"url,omitempty"` // its target
	Headers     map[string]string `json:"headers,omitempty"`
	Payload     string            `json:"payload,omitempty"`
	Response    string            `json:"response,omitempty"`
}
