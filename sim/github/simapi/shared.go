package simapi

import "github.com/assay-dev/assay/sim/host/simapi"

// Types that all simulated hosts share.
type (
	UserSpec       = simapi.UserSpec
	SuggestionSpec = simapi.SuggestionSpec
	UserUpdate     = simapi.UserUpdate
	User           = simapi.User
	RepoSpec       = simapi.RepoSpec
	Repo           = simapi.Repo
	CommitSpec     = simapi.CommitSpec
	Commit         = simapi.Commit
	PullSpec       = simapi.PullSpec
	Pull           = simapi.Pull
	PullUpdate     = simapi.PullUpdate
	CommentSpec    = simapi.CommentSpec
	ReactionSpec   = simapi.ReactionSpec
	Seeder         = simapi.Seeder
	Request        = simapi.Request
	Write          = simapi.Write
	Review         = simapi.Review
	Comment        = simapi.Comment
	RunSpec        = simapi.RunSpec
	JobSpec        = simapi.JobSpec
	Run            = simapi.Run
	Delivery       = simapi.Delivery
	Fault          = simapi.Fault
	FaultState     = simapi.FaultState
	DeliveryFault  = simapi.DeliveryFault
)

// Actions and decisions of faults that all simulated hosts share.
const (
	Latency             = simapi.Latency
	Refuse              = simapi.Refuse
	ApplyThenStatus     = simapi.ApplyThenStatus
	ApplyThenReset      = simapi.ApplyThenReset
	ApplyThenHang       = simapi.ApplyThenHang
	ApplyLate           = simapi.ApplyLate
	Hold                = simapi.Hold
	ListLag             = simapi.ListLag
	Respond             = simapi.Respond
	SecondaryRetryAfter = simapi.SecondaryRetryAfter
	SecondaryRetryDate  = simapi.SecondaryRetryDate
	SecondaryBodyOnly   = simapi.SecondaryBodyOnly
	PrimaryLimit        = simapi.PrimaryLimit
	Forbidden           = simapi.Forbidden
	GraphQLRateLimited  = simapi.GraphQLRateLimited
	Apply               = simapi.Apply
	Drop                = simapi.Drop
	Reset               = simapi.Reset
	Duplicate           = simapi.Duplicate
	HoldDelivery        = simapi.HoldDelivery
	DropDelivery        = simapi.DropDelivery
)
