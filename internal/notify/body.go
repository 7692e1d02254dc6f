package notify

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/clip"
)

// Message is the content of a notification. It may contain text from outside, which each format escapes.
type Message struct {
	ID    string    // id of the message, the same for every attempt
	Event string    // an event kind
	Time  time.Time // when it happened
	Title string    // one line
	Text  string    // a few sentences
	Link  string    // https address on this instance, or ""
	Data  any       // of the event, for webhooks
}

// Lengths of texts, below the limits of the services. Text is cut between characters.
const (
	mostTitle = 250  // Discord, title of an embed: 256
	mostText  = 2800 // Slack, text object: 3000; Discord, description: 4096
)

// body renders a message for a kind of channel.
func body(kind string, m Message) ([]byte, error) {
	m.Title, m.Text = clip.Runes(m.Title, mostTitle, "…"), clip.Runes(m.Text, mostText, "…")
	switch kind {
	case "slack":
		return json.Marshal(slackBody(m))
	case "teams":
		return json.Marshal(teamsBody(m))
	case "discord":
		return json.Marshal(discordBody(m))
	}
	// Standard Webhooks, "Payload structure": type, timestamp, data.
	return json.Marshal(map[string]any{"type": m.Event, "timestamp": m.Time.UTC().Format(time.RFC3339Nano), "data": m.Data})
}

// slackBody returns a message for an incoming webhook of Slack:
// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and
// https://docs.slack.dev/reference/block-kit/composition-objects/text-object. The blocks are plain text, so
// that they contain no mentions and no links. The field text, which notifications show, is escaped
// (https://docs.slack.dev/messaging/formatting-message-text#escaping).
func slackBody(m Message) any {
	plain := func(text string) any { return map[string]any{"type": "plain_text", "text": text, "emoji": false} }
	blocks := []any{map[string]any{"type": "section", "text": plain(m.Title)}}
	if m.Text != "" {
		blocks = append(blocks, map[string]any{"type": "section", "text": plain(m.Text)})
	}
	if m.Link != "" {
		blocks = append(blocks, map[string]any{"type": "actions", "elements": []any{map[string]any{"type": "button",
			"text": plain("Open"), "url": m.Link}}})
	}
	return map[string]any{"text": strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(m.Title), "blocks": blocks}
}

// teamsBody returns a message for a workflow of Microsoft Teams ("When a Teams webhook request is
// received"), which accepts only adaptive cards:
// https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using. It
// uses text runs, because text blocks interpret some Markdown
// (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features).
func teamsBody(m Message) any {
	run := func(text, weight string) any {
		return map[string]any{"type": "RichTextBlock", "inlines": []any{map[string]any{"type": "TextRun", "text": text, "weight": weight}}}
	}
	card := map[string]any{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
		"body": []any{run(m.Title, "Bolder")}}
	if m.Text != "" {
		card["body"] = []any{run(m.Title, "Bolder"), run(m.Text, "Default")}
	}
	if m.Link != "" {
		card["actions"] = []any{map[string]any{"type": "Action.OpenUrl", "title": "Open", "url": m.Link}}
	}
	return map[string]any{"type": "message",
		"attachments": []any{map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": nil, "content": card}}}
}

// discordBody returns a message for a webhook of Discord:
// https://discord.com/developers/docs/resources/webhook#execute-webhook. Its empty allowed_mentions
// disables mentions, and Markdown is escaped.
func discordBody(m Message) any {
	embed := map[string]any{"title": discordText(m.Title, 256), "description": discordText(m.Text, 4000),
		"timestamp": m.Time.UTC().Format(time.RFC3339)}
	if m.Link != "" {
		embed["url"] = m.Link
	}
	return map[string]any{"embeds": []any{embed}, "allowed_mentions": map[string]any{"parse": []string{}}}
}

var discordMarks = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "`", "\\`", "|", `\|`, ">", `\>`, "[", `\[`, "]",
	`\]`, "<", `\<`, "#", `\#`)

// discordText escapes Markdown and cuts the text again, because escapes count.
func discordText(text string, most int) string {
	return strings.TrimRight(clip.Runes(discordMarks.Replace(text), most, "…"), `\`)
}
