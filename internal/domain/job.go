package domain

// JobKind names what a job does.
type JobKind string

// The kinds of jobs.
const (
	KindDelivery JobKind = "delivery.process" // subject: a delivery
	KindReview   JobKind = "review.run"       // subject: a run
	KindPublish  JobKind = "review.publish"   // subject: a run
	KindReflect  JobKind = "review.reflect"   // subject: a run; repeatable writes after publishing
	KindCheck    JobKind = "review.check"     // subject: a run; shows on the host that it is under way
	KindEvent    JobKind = "event.tell"       // subject: an event; makes what tells of it
	KindNotify   JobKind = "channel.send"     // subject: a message to a channel; one attempt
	KindPush     JobKind = "push.send"        // subject: a message to a browser; one attempt
	KindAnswer   JobKind = "comment.answer"   // subject: an answer to a command in a comment
)

// Lane returns the lane in which jobs of the kind run.
func (k JobKind) Lane() Lane {
	switch k {
	case KindDelivery:
		return LaneDelivery
	case KindReview:
		return LaneReview
	case KindPublish, KindReflect:
		return LanePublish
	default:
		return LaneBackground
	}
}
