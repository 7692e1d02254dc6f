package github

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/assay-dev/assay/sim/host"
)

// enqueue stores a delivery and sends it. Server.Mu is held.
func (s *Server) enqueue(a *app, instID, repoID int64, event, action string, payload obj) {
	if a.WebhookURL == "" {
		return
	}
	d := host.Delivery{Owner: a.ID, GUID: host.NewGUID(), InstallationID: instID, RepositoryID: repoID, Event: event, Action: action,
		URL: a.WebhookURL, Payload: string(host.Encode(payload))}
	d.Headers = s.hookHeaders(a, d.Event, d.GUID, d.Payload)
	s.Sender.Enqueue(d)
}

// hookHeaders returns the headers of GitHub's deliveries (GitHub docs, "Webhook events and payloads").
func (s *Server) hookHeaders(a *app, event, guid, payload string) map[string]string {
	h := map[string]string{
		"Content-Type": "application/json", "Accept": "*/*", "User-Agent": "GitHub-Hookshot/" + host.HashHex([]byte(s.Base))[:7],
		"X-GitHub-Event": event, "X-GitHub-Delivery": guid, "X-GitHub-Hook-ID": strconv.FormatInt(a.HookID, 10),
		"X-GitHub-Hook-Installation-Target-Type": "integration", "X-GitHub-Hook-Installation-Target-ID": strconv.FormatInt(a.ID, 10),
	}
	if a.WebhookSecret != "" {
		old, sum := hmac.New(sha1.New, []byte(a.WebhookSecret)), hmac.New(sha256.New, []byte(a.WebhookSecret))
		old.Write([]byte(payload))
		sum.Write([]byte(payload))
		h["X-Hub-Signature"] = "sha1=" + hex.EncodeToString(old.Sum(nil))
		h["X-Hub-Signature-256"] = "sha256=" + hex.EncodeToString(sum.Sum(nil))
	}
	return h
}

// Redeliver sends a delivery again with the same GUID and payload; several copies are sent at the same time.
func (s *Server) Redeliver(_ context.Context, id int64, copies int) error {
	again, err := s.Sender.Again(id)
	if err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	a := s.st.Apps[again.Owner]
	if a == nil || a.WebhookURL == "" {
		return errors.New("the app of this delivery has no webhook address")
	}
	again.URL, again.Headers = a.WebhookURL, s.hookHeaders(a, again.Event, again.GUID, again.Payload)
	for range max(1, copies) {
		s.Sender.Send(again)
	}
	return nil
}
