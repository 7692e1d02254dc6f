package domain

// RuleProposalState is the state of a rule that was written from a reply to a finding.
type RuleProposalState string

// The states of a proposed rule. Only a person who manages the repository changes them.
const (
	RuleProposed RuleProposalState = "proposed" // no review reads it
	RuleAccepted RuleProposalState = "accepted" // it was copied into a rule of the repository
	RuleDeclined RuleProposalState = "declined"
)
