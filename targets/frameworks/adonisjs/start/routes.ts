import router from "@adonisjs/core/services/router";

const ErrorsController = () => import("#controllers/errors_controller");
const MainController = () => import("#controllers/main_controller");

router.get("/static", [MainController, "getStatic"]);
router.get("/fib", [MainController, "getFibonacci"]);
router.get("/redis", [MainController, "getRedis"]);
router.get("/validation", [MainController, "getValidation"]);
router.get("/error/:id", [ErrorsController, "show"]);
