#!/usr/bin/env bash
# Installs the agents of test/python/servers/test_agent_programs.py from npm and PyPI: install_agents.sh DIRECTORY. One that
# cannot be installed is left out and named; its tests are skipped.
set -euo pipefail
mkdir -p "$1"
cd "$1"
[ -f package.json ] || echo '{"private": true}' >package.json
quiet=(--silent --no-audit --no-fund)
npm install "${quiet[@]}" @modelcontextprotocol/sdk@1 @modelcontextprotocol/inspector @ai-sdk/mcp@1 @openai/agents openai
for program in @anthropic-ai/claude-code @openai/codex @github/copilot @google/gemini-cli @qwen-code/qwen-code opencode-ai; do
    npm install "${quiet[@]}" "$program" || echo "not installed: $program" >&2
done
[ -d venv ] || python3 -m venv venv
venv/bin/pip install --quiet 'pydantic-ai-slim[mcp,openai]' openai-agents langchain-mcp-adapters mcp-use fastmcp
