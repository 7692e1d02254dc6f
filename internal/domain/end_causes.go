package domain

// EndCause is the stable word for the cause of a run's end, for decisions of the service. The run's reason
// holds the words for people.
type EndCause string

// The causes of ends.
const (
	EndPublished        EndCause = "published"
	EndPolicy           EndCause = "policy"            // the policy asks for no review
	EndSuperseded       EndCause = "superseded"        // a newer head has its own run
	EndRetargeted       EndCause = "retargeted"        // a run onto another target branch replaced it
	EndClosed           EndCause = "closed"            // the pull request is not open
	EndGone             EndCause = "gone"              // the host does not show the pull request any more
	EndDisconnected     EndCause = "disconnected"      // the repository is not connected any more
	EndCrashed          EndCause = "crashed"           // its workers died repeatedly: the head is quarantined
	EndError            EndCause = "error"             // every attempt failed, or no attempt could succeed
	EndModelUnavailable EndCause = "model_unavailable" // no model answered, and the checks found nothing
	EndModelFruitless   EndCause = "model_fruitless"   // no answer of the model was usable, and the checks found nothing
	EndModelRejected    EndCause = "model_rejected"    // the provider refuses the reasoning effort
	EndSlotBusy         EndCause = "slot_busy"         // another reviewer's draft occupies the host's only slot
	EndDeleted          EndCause = "deleted"           // a person deleted the chosen draft
	EndRefused          EndCause = "refused"           // the host refuses the content of the review
	EndWithheld         EndCause = "withheld"          // its draft contains facts about an issue that must not be shown any more
	EndRejected         EndCause = "rejected"          // a person rejected the waiting review
	EndExpired          EndCause = "expired"           // there was no decision in time
)

// endWords holds a sentence for each cause. Further facts, such as the last error, are in the run's reason.
var endWords = map[EndCause]string{
	EndPublished:        "The review is published.",
	EndPolicy:           "The policy of this repository does not ask for a review here.",
	EndSuperseded:       "A newer head arrived, which has its own run.",
	EndRetargeted:       "The target branch changed, and the review onto the new one has its own run.",
	EndClosed:           "The pull request was closed or became a draft.",
	EndGone:             "The host does not show the pull request any more.",
	EndDisconnected:     "The repository is not connected any more.",
	EndCrashed:          "The review stopped its workers again and again, so this head is not tried again by itself.",
	EndError:            "The review could not be finished.",
	EndModelUnavailable: "No model answered, and the deterministic checks found nothing.",
	EndModelFruitless:   "No answer of the model could be used, and the deterministic checks found nothing.",
	EndModelRejected:    "The provider of the model refuses the reasoning effort that is set.",
	EndSlotBusy: "A draft of a review that is not ours is open in our name on the pull request; the host takes a second one " +
		"only after that one is submitted or deleted.",
	EndDeleted:  "A person deleted the draft of the review before it was published.",
	EndRefused:  "The host refuses the text of the review.",
	EndWithheld: "The review quotes an issue that must not be shown here any more, and the host does not allow changes of its draft.",
	EndRejected: "The review was rejected before it was published.",
	EndExpired:  "The review was not approved in time.",
}

// Words returns the sentence for a cause, for people, or "" for an unknown cause.
func (c EndCause) Words() string { return endWords[c] }

// WaitKind is the stable word for the condition that a snoozed job waits for, if the next attempt depends
// on it.
type WaitKind string

// WaitUpload means that results of analysers may still be uploaded.
const WaitUpload WaitKind = "upload"

// WaitModel means that no model answers.
const WaitModel WaitKind = "model"
