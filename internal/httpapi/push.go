package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/notify"
)

// PushSubscriptions lists a person's browsers, with the key for new subscriptions.
type PushSubscriptions struct {
	Items          []notify.PushSubscription `json:"items" doc:"Newest first; at most 20"`
	VAPIDPublicKey string                    `json:"vapidPublicKey" doc:"applicationServerKey for PushManager.subscribe(), base64url"`
}

func (s *server) pushSubscriptions(ctx context.Context, _ *InMine) (*Read[PushSubscriptions], error) {
	c := callerFrom(ctx)
	rows, err := s.Notify.PushSubscriptions(ctx, c.tenant, c.user.ID)
	if err != nil {
		return nil, err
	}
	key, err := s.Notify.VAPIDKey(ctx)
	return read(PushSubscriptions{rows, key}, err)
}

func (s *server) putPushSubscription(ctx context.Context, in *struct {
	InMine
	Body notify.PushSubscriptionCreate
}) (*Shown[notify.PushSubscription], error) {
	c := callerFrom(ctx)
	v, err := s.Notify.PutPushSubscription(ctx, c.tenant, c.user.ID, in.Body)
	return shown(v, v.Version, err)
}

// InPush is the path of a subscription.
type InPush struct {
	InMine
	ID string `path:"id"`
}

func (s *server) updatePushSubscription(ctx context.Context, in *struct {
	InPush
	Guard
	Body notify.PushSubscriptionUpdate
}) (*Shown[notify.PushSubscription], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	v, err := s.Notify.UpdatePushSubscription(ctx, c.tenant, c.user.ID, in.ID, version, in.Body)
	return shown(v, v.Version, err)
}

func (s *server) deletePushSubscription(ctx context.Context, in *InPush) (*Gone, error) {
	c := callerFrom(ctx)
	return nil, s.Notify.DeletePushSubscription(ctx, c.tenant, c.user.ID, in.ID)
}

// PushTested is the result of testing a browser's subscription.
type PushTested struct {
	Checks []notify.PushCheck `json:"checks"`
}

func (s *server) testPushSubscription(ctx context.Context, in *InPush) (*Read[PushTested], error) {
	c := callerFrom(ctx)
	checks, err := s.Notify.TestPush(ctx, c.tenant, c.user.ID, in.ID)
	return read(PushTested{checks}, err)
}
