import os

import redis
from flask import Flask, json, jsonify, request
from werkzeug.exceptions import HTTPException, ServiceUnavailable
from wtforms import Form, IntegerField, StringField, validators

app = Flask(__name__)
app.logger.disabled = os.environ.get("TRACE") != "on"

url = os.environ.get("REDIS_URL")
client = redis.Redis.from_url(url, decode_responses=True) if url else None
if client:
    client.set("plateau:counter", 1)


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 2) + fibonacci(n - 1)


class QueryForm(Form):
    number = IntegerField(validators=[validators.InputRequired()])
    string = StringField(validators=[validators.Length(min=5)])


@app.get("/static")
def static_json():
    return jsonify(ok=True)


@app.get("/fib")
def fib():
    return jsonify(res=fibonacci(23))


@app.get("/redis")
def counter():
    if client is None:
        raise ServiceUnavailable("there is no Redis")
    return jsonify(value=client.get("plateau:counter"))


@app.get("/validation")
def validation():
    form = QueryForm(request.args)
    if not form.validate():
        return jsonify(errors=form.errors), 400
    return jsonify(ok=True)


@app.get("/error/<int:id>")
def error(id):
    return jsonify(value=id / (id - 1) + 0)  # + 0 takes the sign from -0.0


@app.errorhandler(HTTPException)
def handle_exception(error):
    response = error.get_response()
    response.data = json.dumps({"error": error.name, "description": error.description})
    response.content_type = "application/json"
    return response
