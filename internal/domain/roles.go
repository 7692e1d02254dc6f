package domain

// Role is a person's role in a tenant.
type Role string

// The roles; the empty role means that the person is not a member.
const (
	RoleMember Role = "member"
	RoleAdmin  Role = "admin"
)

// The sources of a membership. A person has at most one membership per source and source id. The greatest
// role among them counts.
const (
	SourceHost    = "host"    // the source id is the access: of an installation or a connection
	SourceMapping = "mapping" // the source id is the role mapping
	SourceHand    = "hand"
	SourceSetup   = "setup"
)
