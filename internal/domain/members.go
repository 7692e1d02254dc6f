package domain

// Role is a person's role in a tenant.
type Role string

// The roles; the empty role is no member.
const (
	RoleMember Role = "member"
	RoleAdmin  Role = "admin"
)

// The sources of a membership. A person has at most one membership per source
// and id of the source; the greatest role of all of them counts.
const (
	SourceHost    = "host"    // the id of the source is the access: that of an installation, or of a connection
	SourceMapping = "mapping" // the id of the source is the role mapping
	SourceHand    = "hand"
	SourceSetup   = "setup"
)
