package domain

// EndCause names why a run ended. The service decides by it; the words for
// people stand beside it in the run's reason.
type EndCause string

// The causes of ends.
const (
	EndPublished        EndCause = "published"
	EndPolicy           EndCause = "policy"            // the policy wanted no review
	EndSuperseded       EndCause = "superseded"        // a newer head has its own run
	EndClosed           EndCause = "closed"            // the pull request is not open
	EndGone             EndCause = "gone"              // the host shows us the pull request no more
	EndDisconnected     EndCause = "disconnected"      // the repository is not connected any more
	EndCrashed          EndCause = "crashed"           // its workers died again and again: the head is quarantined
	EndError            EndCause = "error"             // every attempt failed, or none could succeed
	EndModelUnavailable EndCause = "model_unavailable" // no model answered, and the checks found nothing
	EndModelFruitless   EndCause = "model_fruitless"   // no answer of the model was usable, and the checks found nothing
	EndModelRejected    EndCause = "model_rejected"    // the provider refuses the reasoning effort
	EndSlotBusy         EndCause = "slot_busy"         // a draft that is not ours holds the host's only slot
	EndDeleted          EndCause = "deleted"           // somebody deleted the draft that was chosen
	EndRefused          EndCause = "refused"           // the host refuses the content of the review
)

// WaitKind names what a job waits for that was given back uncounted, where its
// next attempt decides by it.
type WaitKind string

// WaitModel is a model that does not answer.
const WaitModel WaitKind = "model"
